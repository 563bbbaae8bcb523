/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The target's clocks and the cost of reading them. The cost is reported next to the results, and never subtracted from them.
 */
#include "clocks.h"

#include "rtstone/measurement.h"

/** Readings that a clock may repeat before it counts as standing still. */
#define STANDSTILL_READS 20000000u

/** Most values that one figure of the calibration rests on. */
#define CALIBRATION_COUNT 1000u

/** Rounds of a ping's accounts in one window: beside so many a clock reading is little. */
#define ACCOUNT_ROUNDS 64

rts_status rts_clocks_learn(rts_clocks *clocks)
{
    rts_status status = rts_port_clock_info(&clocks->run);
    if (status == RTS_OK) {
        status = rts_port_timer_clock_info(&clocks->timer);
    }
    return status == RTS_OK && (clocks->run.hz == 0u || clocks->timer.hz == 0u) ? RTS_BROKEN : status;
}

/** count / unit seconds in ticks; in two parts because hz * count may pass 64 bits. */
static rts_ticks ticks(uint64_t hz, uint32_t count, uint64_t unit)
{
    return (hz / unit) * count + (hz % unit) * count / unit;
}

rts_ticks rts_clock_ticks_from_ns(uint64_t hz, uint32_t ns)
{
    return ticks(hz, ns, 1000000000u);
}

rts_ticks rts_clock_ticks_from_ms(uint64_t hz, uint32_t ms)
{
    return ticks(hz, ms, 1000u);
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0u) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static rts_ticks read_clock(bool timer)
{
    return timer ? rts_timer_clock_read() : rts_clock_read();
}

/**
 * The step in which a clock counts: the greatest common divisor of all differences of readings. Readings are spread by work of varying length,
 * since on an emulated board every reading costs the same number of ticks. 0: the clock stands still.
 */
static uint64_t resolution(bool timer)
{
    uint64_t common = 0;
    rts_ticks last = read_clock(timer);
    for (uint32_t i = 0; i < 256u; i++) {
        rts_ticks now = last;
        for (volatile uint32_t work = i % 7u * (i % 5u); work > 0u; work = work - 1u) {
        }
        for (uint32_t reads = 0; now == last; reads++) {
            if (reads == STANDSTILL_READS) {
                return 0;
            }
            now = read_clock(timer);
        }
        common = greatest_common_divisor(now - last, common);
        last = now;
    }
    return common;
}

/** Sorts by Shell's method: no recursion, no memory. */
static void sort(int64_t *values, size_t count)
{
    for (size_t gap = count / 2u; gap > 0u; gap /= 2u) {
        for (size_t i = gap; i < count; i++) {
            const int64_t value = values[i];
            size_t place = i;
            for (; place >= gap && values[place - gap] > value; place -= gap) {
                values[place] = values[place - gap];
            }
            values[place] = value;
        }
    }
}

/** Each value is of so many operations: min, median and max are of one, to the nearest tick; total and count of all. */
static void tell(rts_writer *writer, const char *name, uint32_t clock, int64_t *values, size_t count,
                 uint32_t operations)
{
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += (uint64_t)values[i];
    }
    sort(values, count);
    rts_record_begin(writer, "calibration");
    rts_record_name(writer, "name", name);
    rts_record_unsigned(writer, "clock", clock);
    rts_record_unsigned(writer, "count", count * operations);
    rts_record_big(writer, "total", total);
    rts_record_signed(writer, "min", (values[0] + operations / 2u) / operations);
    rts_record_signed(writer, "median", (values[(count - 1u) / 2u] + operations / 2u) / operations);
    rts_record_signed(writer, "max", (values[count - 1u] + operations / 2u) / operations);
    rts_record_end(writer);
}

/** One reading's cost: back-to-back readings. */
static void measure_read(bool timer, int64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const rts_ticks before = read_clock(timer);
        const rts_ticks after = read_clock(timer);
        values[i] = (int64_t)(after - before);
    }
}

/** A whole empty round of a single pass: both readings and the recording of their difference. */
static void measure_loop(bool timer, rts_recorder *recorder, int64_t *values, size_t count)
{
    rts_ticks start = read_clock(timer);
    rts_recorder_reset(recorder, start, UINT64_MAX);
    for (size_t i = 0; i < count; i++) {
        start = read_clock(timer);
        const rts_ticks before = read_clock(timer);
        const rts_ticks after = read_clock(timer);
        rts_recorder_add(recorder, (rts_latency)(after - before), after);
        values[i] = (int64_t)(read_clock(timer) - start);
    }
}

static rts_status calibrate_one(const rts_clock_info *info, bool timer, rts_recorder *recorder, int64_t *scratch,
                                size_t count, rts_writer *writer)
{
    const uint64_t step = resolution(timer);
    rts_record_begin(writer, "clock");
    rts_record_unsigned(writer, "id", info->id);
    rts_record_head(writer);
    rts_record_name(writer, "name", info->name);
    rts_record_big(writer, "hz", info->hz);
    rts_record_name(writer, "source", info->source);
    rts_record_unsigned(writer, "uncertainty_ppb", info->uncertainty_ppb);
    rts_record_unsigned(writer, "resolution_ticks", step);
    rts_record_end(writer);
    if (step == 0u) {
        return RTS_BROKEN;
    }
    measure_read(timer, scratch, count); /* once for nothing: the first round brings code and data into the caches */
    measure_read(timer, scratch, count);
    tell(writer, "clock-read", info->id, scratch, count, 1);
    measure_loop(timer, recorder, scratch, count);
    measure_loop(timer, recorder, scratch, count);
    tell(writer, "loop", info->id, scratch, count, 1);
    return RTS_OK;
}

void rts_clocks_account(const rts_clocks *clocks, rts_account_fn account, void *state, int64_t *scratch, size_t room,
                        rts_writer *writer)
{
    const size_t count = room < CALIBRATION_COUNT ? room : CALIBRATION_COUNT;
    account(state, ACCOUNT_ROUNDS, scratch, count);
    account(state, ACCOUNT_ROUNDS, scratch, count);
    tell(writer, "ping-account", clocks->run.id, scratch, count, ACCOUNT_ROUNDS);
}

rts_status rts_clocks_calibrate(const rts_clocks *clocks, rts_recorder *recorder, int64_t *scratch, size_t room,
                                rts_writer *writer)
{
    const size_t count = room < CALIBRATION_COUNT ? room : CALIBRATION_COUNT;
    rts_status status = calibrate_one(&clocks->run, false, recorder, scratch, count, writer);
    if (status == RTS_OK && clocks->timer.id != clocks->run.id) {
        status = calibrate_one(&clocks->timer, true, recorder, scratch, count, writer);
    }
    return status;
}
