/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reports one item: its begin, its samples while it runs, its results and its end; or that it was skipped.
 */
#ifndef RTS_REPORT_H
#define RTS_REPORT_H

#include "run.h"

/** How an item came to its end. */
typedef struct rts_outcome {
    rts_status status; /**< RTS_OK, or the status with which the run failed */
    const char *stop;  /**< "count", "budget", "interrupted", "failed" */
    rts_ticks elapsed; /**< on the item's clock */
} rts_outcome;

/** The name of a status, "broken". */
const char *rts_status_name(rts_status status);

/** begin, series and notes. `operations`: of one set in the batch pass, else 1. */
void rts_report_begin(const rts_run *run, uint32_t operations, rts_writer *writer);

/** Sends the raw samples that are held, and forgets them. */
void rts_report_samples(rts_run *run, rts_writer *writer);

/** Sends the totals of the sets that are held, and forgets them. */
void rts_report_batch(rts_run *run, rts_writer *writer);

/** What the load achieved; after it was stopped. */
void rts_report_load(rts_run *run, rts_writer *writer);

/** checks, histograms, extremes, windows and the end of each series. */
void rts_report_end(rts_run *run, const rts_outcome *outcome, rts_writer *writer);

/** service and text may be NULL. */
void rts_report_skip(const rts_plan_item *item, const char *reason, const char *service, const char *text,
                     rts_writer *writer);

#endif
