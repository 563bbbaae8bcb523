/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How many operations the next slice may have, and when the CPU must be let go.
 */
#include "pace.h"

#define SLICE_MS 50u
#define PACED_SLICE_MS 250u

/**
 * A period below this may keep a slow CPU busy all the time, so that such an item must rest as the others do. So must all where less than half of a
 * CPU may be used.
 */
#define RESTING_PERIOD_NS 100000u

/** A slice may have this many times the operations of the one before. */
#define GROWTH 4u

/** The longest of the shortest times that the loads of a run ask for. */
static uint32_t least_ms(const rts_run *run)
{
    uint32_t least = 0;
    for (uint32_t i = 0; i < run->loads.count; i++) {
        const uint32_t ms = run->loads.load[i]->least_ms;
        if (ms > least && rts_load_set_intensity(&run->loads, i, run->item->intensity) != 0u) {
            least = ms;
        }
    }
    return least;
}

void rts_pace_begin(rts_pace *pace, const rts_run *run)
{
    const uint64_t hz = run->clocks->run.hz;
    const rts_pace empty = {0};
    *pace = empty;
    rts_port_duty(&pace->duty_run, &pace->duty_rest);
    pace->target = rts_clock_ticks_from_ms(hz, SLICE_MS);
    /* A set of the batch pass is cut only where it is long; a period gives its own pace. */
    pace->sets = run->item->pass == RTS_PLAN_BATCH;
    pace->grows = !pace->sets && run->measurement->paced_by == RTS_UNPACED;
    pace->owed = true;
    if (run->measurement->paced_by != RTS_UNPACED) {
        const uint64_t operations = (uint64_t)PACED_SLICE_MS * 1000000u / run->item->period_ns;
        pace->period_operations = operations == 0u ? 1u : (uint32_t)operations;
        /* As if one such operation had been seen, so that the timer is not restarted for each of the first few. */
        pace->last_operations = 1;
        pace->last_ticks = rts_clock_ticks_from_ns(hz, run->item->period_ns);
        if (run->item->period_ns >= RESTING_PERIOD_NS && pace->duty_rest < pace->duty_run) {
            pace->duty_run = 0;
        }
    }
    if (pace->duty_run != 0u && pace->target > pace->duty_run / 3u) {
        pace->target = pace->duty_run / 3u;
    }
    if (pace->target == 0u) {
        pace->target = 1;
    }
    pace->budget = rts_clock_ticks_from_ms(hz, run->item->budget_ms);
    pace->least = rts_clock_ticks_from_ms(hz, least_ms(run));
    if (pace->budget != 0u && pace->least > pace->budget) {
        pace->least = pace->budget; /* within which all that was asked for still has its place */
    }
    pace->start = rts_clock_read();
}

static uint32_t smaller(uint64_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

/** Ticks that the next slice may take. */
static rts_ticks room(const rts_pace *pace)
{
    /* Where a period is the pace, what a slice takes is known and no CPU is held. */
    const rts_ticks target = pace->period_operations != 0u && pace->duty_run == 0u ? UINT64_MAX : pace->target;
    if (pace->budget == 0u || (pace->owed && pace->sets)) {
        return target; /* a set that is owed is not cut for the budget's sake: each cut is a clock reading more */
    }
    const rts_ticks used = rts_clock_read() - pace->start;
    const rts_ticks left = used < pace->budget ? pace->budget - used : 0u;
    return left < target ? left : target;
}

uint32_t rts_pace_next(const rts_pace *pace, uint32_t wanted)
{
    if (pace->last_operations == 0u) {
        return 1;
    }
    uint64_t operations = room(pace) / (pace->last_ticks / pace->last_operations + 1u);
    if (pace->grows && operations > (uint64_t)pace->last_operations * GROWTH) {
        operations = (uint64_t)pace->last_operations * GROWTH;
    }
    if (pace->period_operations != 0u) {
        operations = smaller(operations, pace->period_operations);
    }
    return operations == 0u ? 1u : smaller(operations, wanted);
}

rts_status rts_pace_rest(rts_pace *pace)
{
    if (pace->duty_run == 0u || pace->busy + pace->target <= pace->duty_run) {
        return RTS_OK;
    }
    pace->busy = 0;
    return rts_port_sleep_until(rts_clock_read() + pace->duty_rest);
}

rts_status rts_pace_spread(const rts_pace *pace, uint32_t done, uint32_t all)
{
    /* In this order no product overflows; the division's rounding is corrected at the end. */
    const rts_ticks until = done == all ? pace->least : pace->least / all * done;
    return rts_clock_read() - pace->start < until ? rts_port_sleep_until(pace->start + until) : RTS_OK;
}

void rts_pace_done(rts_pace *pace, uint32_t operations, rts_ticks ticks)
{
    pace->busy += ticks;
    pace->last_operations = operations;
    pace->last_ticks = ticks;
}

bool rts_pace_spent(const rts_pace *pace)
{
    return pace->budget != 0u && !pace->owed && rts_clock_read() - pace->start >= pace->budget;
}
