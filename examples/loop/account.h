/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a program knows of its own cycles, and how it prints that beside the planted faults.
 */
#ifndef RTSTONE_EXAMPLE_ACCOUNT_H
#define RTSTONE_EXAMPLE_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "settings.h"

/** One cycle, in ns of CLOCK_MONOTONIC. end_ns is 0 for a cycle that was not run. */
typedef struct cycle {
    uint64_t due_ns, start_ns, end_ns;
    int32_t thread;
} cycle;

/** The cycles of one loop or callback. Each has its own place, so that several threads may fill them in. */
typedef struct series {
    const char *name;
    uint64_t period_ns, deadline_ns;
    uint64_t room;    /* how many cycles there is place for */
    uint64_t periods; /* how many due times came until the end; each was run or skipped */
    cycle *cycles;
} series;

/** Makes place for the cycles, in memory that is touched. Returns 0 or an error of the system. */
int series_open(series *of, const char *name, uint64_t period_ns, uint64_t deadline_ns, uint64_t room);

/** Prints the whole account as JSON on standard output, and one line on standard error. True: it was written. */
bool account_print(const settings *from, uint64_t base_ns, bool locked, const series *of, uint32_t count);

#endif
