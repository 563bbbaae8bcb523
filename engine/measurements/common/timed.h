/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The measured windows of operations that one thread does alone: all of them in one window, or one window for each.
 *
 * Inlined with the operation's name as a constant, so that a window holds the operation and no call through a pointer.
 */
#ifndef RTSTONE_MEASUREMENTS_TIMED_H
#define RTSTONE_MEASUREMENTS_TIMED_H

#include "rtstone/measurement.h"

#if defined(__GNUC__)
#define RTS_TIMED static inline __attribute__((always_inline))
#else
#define RTS_TIMED static inline
#endif

/** One operation; `arg` is the measurement's state, `i` counts the operations of a call from 0. */
typedef rts_status (*rts_operation)(void *arg, uint32_t i);

/** `count` operations in a row, in no window. Ends at the first that fails. */
RTS_TIMED rts_status rts_do_all(void *arg, rts_operation operation, uint32_t count)
{
    rts_status status = RTS_OK;
    for (uint32_t i = 0; i < count && status == RTS_OK; i++) {
        status = operation(arg, i);
    }
    return status;
}

/** The same in one window, whose ticks are added to `total`. */
RTS_TIMED rts_status rts_time_together(void *arg, rts_operation operation, uint32_t count, rts_ticks *total)
{
    const rts_ticks begin = rts_clock_read();
    const rts_status status = rts_do_all(arg, operation, count);
    const rts_ticks end = rts_clock_read();
    *total += end - begin;
    return status;
}

/** One refill's part of the remaining operations: at most the capacity of a queue, a partition or a table of children. */
RTS_TIMED uint32_t rts_refill(uint32_t left, uint32_t limit)
{
    return left < limit ? left : limit;
}

/** `count` operations, each in a window of its own, a sample of series 0; `after` (or NULL) follows each, outside its window. */
RTS_TIMED rts_status rts_time_each(rts_run *run, rts_operation operation, uint32_t count, rts_operation after)
{
    void *const arg = rts_run_state(run);
    for (uint32_t i = 0; i < count; i++) {
        rts_run_before(run);
        const rts_ticks begin = rts_clock_read();
        rts_status status = operation(arg, i);
        const rts_ticks end = rts_clock_read();
        if (status == RTS_OK && after != NULL) {
            status = after(arg, i);
        }
        if (status != RTS_OK) {
            return status;
        }
        rts_run_sample(run, 0, (rts_latency)(end - begin), end);
    }
    return RTS_OK;
}

#endif
