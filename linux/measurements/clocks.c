/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads every clock that a Linux machine has: the cost of one reading, by the run's clock, and the clock's properties (clock_study).
 * Each clock has a line in each of three tables: its loops, its choice, its row. SPring-8's study has three clocks: gettimeofday, a timer chip and a
 * timer board. Today's counterparts are clock-gettimeofday, clock-hpet and clock-ptp.
 */
#include <sys/time.h>
#include <time.h>

#include "../clock_devices.h"
#include "../system.h"
#include "clock_study.h"

#define NS_PER_S 1000000000u
#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE uint64_t read_clock(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

ALWAYS_INLINE uint64_t read_timeofday(void)
{
    struct timeval now;
    (void)gettimeofday(&now, NULL);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_usec * 1000u;
}

/* A port that reads the counter says how, and whether the kernel trusts it. */
#ifndef RTS_PORT_COUNTER_READ
#define RTS_PORT_COUNTER_TRUSTED false
#define RTS_PORT_COUNTER_READ() 0u
#endif

/* `read` is a constant wherever this is called, so that the reading stands in the loop itself. */
ALWAYS_INLINE rts_status read_many(uint32_t count, rts_ticks *total, uint64_t (*read)(void))
{
    const rts_ticks begin = rts_clock_read();
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t reading = read();
        __asm__ volatile("" : : "r"(reading) : "memory");
    }
    const rts_ticks end = rts_clock_read();
    *total = end - begin;
    return RTS_OK;
}

ALWAYS_INLINE rts_status read_one_by_one(rts_run *run, uint32_t count, uint64_t (*read)(void))
{
    for (uint32_t i = 0; i < count; i++) {
        rts_run_before(run);
        const rts_ticks begin = rts_clock_read();
        const uint64_t reading = read();
        __asm__ volatile("" : : "r"(reading) : "memory");
        const rts_ticks end = rts_clock_read();
        rts_run_sample(run, 0, (rts_latency)(end - begin), end);
    }
    return RTS_OK;
}

/* The loops of one clock, with its reading in them: a call by pointer would be part of the timed window. */
#define LOOPS(id, reading)                                                                                             \
    static uint64_t clock_##id##_read(void)                                                                            \
    {                                                                                                                  \
        return reading;                                                                                                \
    }                                                                                                                  \
    static rts_status clock_##id##_many(rts_run *run, uint32_t count, rts_ticks *total)                                \
    {                                                                                                                  \
        (void)run;                                                                                                     \
        return read_many(count, total, clock_##id##_read);                                                             \
    }                                                                                                                  \
    static rts_status clock_##id##_each(rts_run *run, uint32_t count, rts_ticks *total)                                \
    {                                                                                                                  \
        (void)total;                                                                                                   \
        return read_one_by_one(run, count, clock_##id##_read);                                                         \
    }

LOOPS(monotonic, read_clock(CLOCK_MONOTONIC))
LOOPS(monotonic_raw, read_clock(CLOCK_MONOTONIC_RAW))
LOOPS(monotonic_coarse, read_clock(CLOCK_MONOTONIC_COARSE))
LOOPS(boottime, read_clock(CLOCK_BOOTTIME))
LOOPS(realtime, read_clock(CLOCK_REALTIME))
LOOPS(tai, read_clock(CLOCK_TAI))
LOOPS(gettimeofday, read_timeofday())
LOOPS(counter, RTS_PORT_COUNTER_READ())
LOOPS(hpet, rts_linux_hpet_read())
LOOPS(ptp, rts_linux_ptp_read())

/** A clock: its loops and its facts. */
typedef struct clock_row {
    uint64_t (*read)(void);
    rts_work many;
    rts_work each;
    rts_clock_kind (*kind)(const struct clock_row *row);
    clockid_t clock;        /**< one of the system's */
    bool settable;          /**< likewise */
    uint64_t (*open)(void); /**< opens a device; returns its frequency, 0: it is absent or may not be read */
} clock_row;

static rts_clock_kind of_clock(const clock_row *row)
{
    struct timespec resolution;
    rts_clock_kind kind = {.unit = "ns", .settable = row->settable};
    if (clock_getres(row->clock, &resolution) == 0) {
        kind.read = row->read;
        kind.resolution_ns = (uint64_t)resolution.tv_sec * NS_PER_S + (uint64_t)resolution.tv_nsec;
    }
    return kind;
}

/* It has no way to say its resolution: that of its format. */
static rts_clock_kind of_microseconds(const clock_row *row)
{
    return (rts_clock_kind){.read = row->read, .unit = "ns", .resolution_ns = 1000, .settable = true};
}

/* Only where the kernel trusts it and its frequency is known. */
static rts_clock_kind of_counter(const clock_row *row)
{
    rts_clock_kind kind = {.unit = "ticks"};
    rts_clock_info info;
    if (RTS_PORT_COUNTER_TRUSTED && rts_port_clock_info(&info) == RTS_OK) {
        kind.read = row->read;
        kind.hz = info.hz;
    }
    return kind;
}

static rts_clock_kind of_device(const clock_row *row)
{
    const uint64_t hz = row->open();
    const bool counts_ns = hz == NS_PER_S;
    return (rts_clock_kind){
        .read = hz != 0u ? row->read : NULL, .unit = counts_ns ? "ns" : "ticks", .hz = counts_ns ? 0u : hz};
}

#define COST "cost of one reading of "
static const rts_choice choices[] = {
    {"monotonic", COST "CLOCK_MONOTONIC"},
    {"monotonic-raw", COST "CLOCK_MONOTONIC_RAW, which nobody steers"},
    {"monotonic-coarse", COST "CLOCK_MONOTONIC_COARSE, as of the last tick"},
    {"boottime", COST "CLOCK_BOOTTIME, which counts sleep"},
    {"realtime", COST "CLOCK_REALTIME"},
    {"tai", COST "CLOCK_TAI"},
    {"gettimeofday", COST "gettimeofday"},
    {"counter", COST "the CPU's counter, in order"},
    {"hpet", COST "the HPET through /dev/hpet"},
    {"ptp", COST "the first PTP clock, /dev/ptp0"},
};

/* clang-format off: a table, in the order of the choices */
static const clock_row rows[] = {
    {clock_monotonic_read, clock_monotonic_many, clock_monotonic_each, of_clock, CLOCK_MONOTONIC, false, NULL},
    {clock_monotonic_raw_read, clock_monotonic_raw_many, clock_monotonic_raw_each, of_clock, CLOCK_MONOTONIC_RAW, false,
     NULL},
    {clock_monotonic_coarse_read, clock_monotonic_coarse_many, clock_monotonic_coarse_each, of_clock,
     CLOCK_MONOTONIC_COARSE, false, NULL},
    {clock_boottime_read, clock_boottime_many, clock_boottime_each, of_clock, CLOCK_BOOTTIME, false, NULL},
    {clock_realtime_read, clock_realtime_many, clock_realtime_each, of_clock, CLOCK_REALTIME, true, NULL},
    {clock_tai_read, clock_tai_many, clock_tai_each, of_clock, CLOCK_TAI, true, NULL},
    {clock_gettimeofday_read, clock_gettimeofday_many, clock_gettimeofday_each, of_microseconds, 0, true, NULL},
    {clock_counter_read, clock_counter_many, clock_counter_each, of_counter, 0, false, NULL},
    {clock_hpet_read, clock_hpet_many, clock_hpet_each, of_device, 0, false, rts_linux_hpet_open},
    {clock_ptp_read, clock_ptp_many, clock_ptp_each, of_device, 0, false, rts_linux_ptp_open},
};
/* clang-format on */

_Static_assert(sizeof rows / sizeof rows[0] == sizeof choices / sizeof choices[0], "a choice is a row");

static rts_status setup(rts_run *run)
{
    const clock_row *const row = &rows[rts_run_choice(run)];
    return rts_clock_study_begin(run, row->kind(row));
}

static rts_status batch(rts_run *run, uint32_t ops, rts_ticks *total)
{
    rts_clock_study *own = rts_run_state(run);
    return rts_worker_do(&own->worker, rows[rts_run_choice(run)].many, ops, total);
}

/* A batch shows the cost, a single pass everything else, which takes half a second. */
static rts_status single(rts_run *run, uint32_t samples)
{
    rts_clock_study *own = rts_run_state(run);
    own->told = true;
    return rts_worker_do(&own->worker, rows[rts_run_choice(run)].each, samples, NULL);
}

const rts_measurement rts_measurement_clock = {
    .name = "clock",
    .meaning = 1,
    .summary = "cost of one reading of a clock, and how the clock runs",
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup,
    .batch = batch,
    .single = single,
    .teardown = rts_clock_study_end,
    .choices = choices,
    .choice_count = sizeof choices / sizeof choices[0],
};
