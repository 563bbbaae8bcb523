/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One task fills a queue and drains it again; which half is timed, and to which end it sends, is the measurement's.
 */
#ifndef RTSTONE_MEASUREMENTS_FILLING_H
#define RTSTONE_MEASUREMENTS_FILLING_H

#include "worker.h"

/** What is timed. */
typedef enum rts_filling_half { RTS_TIME_SENDS, RTS_TIME_RECEIVES } rts_filling_half;

/** Two words: the message's number and its complement. */
typedef struct rts_numbered {
    uint64_t number;
    uint64_t complement;
} rts_numbered;

/** The state of such a measurement. */
typedef struct rts_filling {
    rts_worker worker;
    struct rts_queue queue;
    bool made;
    bool urgent;
    rts_filling_half half;
    uint64_t sent;     /**< in this slice */
    uint64_t received; /**< whole and once */
    uint64_t ordered;  /**< in the order that is asked for */
    rts_numbered got[RTS_QUEUE_DEPTH];
} rts_filling;

rts_status rts_filling_setup(rts_run *run, rts_filling_half half, bool urgent);
rts_status rts_filling_batch(rts_run *run, uint32_t ops, rts_ticks *total);
rts_status rts_filling_single(rts_run *run, uint32_t samples);
void rts_filling_teardown(rts_run *run);

#endif
