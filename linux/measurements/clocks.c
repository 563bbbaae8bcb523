/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every clock that a Linux machine has, read: what one reading costs, by the run's clock, and what the readings tell (clock_study).
 * One line a clock at the end of this file. The three of SPring-8's study are gettimeofday, a timer chip and a timer board: today's
 * counterparts are clock-gettimeofday, clock-hpet and clock-ptp.
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

static rts_clock_kind of_clock(clockid_t clock, uint64_t (*read)(void), bool settable)
{
    struct timespec resolution;
    rts_clock_kind kind = {.unit = "ns", .settable = settable};
    if (clock_getres(clock, &resolution) == 0) {
        kind.read = read;
        kind.resolution_ns = (uint64_t)resolution.tv_sec * NS_PER_S + (uint64_t)resolution.tv_nsec;
    }
    return kind;
}

static uint64_t clock_gettimeofday_read(void);
static uint64_t clock_counter_read(void);

ALWAYS_INLINE uint64_t read_timeofday(void)
{
    struct timeval now;
    (void)gettimeofday(&now, NULL);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_usec * 1000u;
}

/* It has no way to say its resolution: that of its format. */
static rts_clock_kind of_microseconds(void)
{
    return (rts_clock_kind){.read = clock_gettimeofday_read, .unit = "ns", .resolution_ns = 1000, .settable = true};
}

/* A port that reads the counter says how, and whether the kernel trusts it. */
#ifndef RTS_PORT_COUNTER_READ
#define RTS_PORT_COUNTER_TRUSTED false
#define RTS_PORT_COUNTER_READ() 0u
#endif

/* Only where the kernel trusts it and its frequency is known. */
static rts_clock_kind of_counter(void)
{
    rts_clock_kind kind = {.unit = "ticks"};
    rts_clock_info info;
    if (RTS_PORT_COUNTER_TRUSTED && rts_port_clock_info(&info) == RTS_OK) {
        kind.read = clock_counter_read;
        kind.hz = info.hz;
    }
    return kind;
}

/* `hz` 0: there is no such device, or it may not be read. */
static rts_clock_kind of_device(uint64_t hz, uint64_t (*read)(void))
{
    const bool counts_ns = hz == NS_PER_S;
    return (rts_clock_kind){
        .read = hz != 0u ? read : NULL, .unit = counts_ns ? "ns" : "ticks", .hz = counts_ns ? 0u : hz};
}

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

static rts_status do_batch(rts_run *run, rts_work work, uint32_t count, rts_ticks *total)
{
    rts_clock_study *own = rts_run_state(run);
    return rts_worker_do(&own->worker, work, count, total);
}

/* A batch tells the cost, a single pass all else: that takes half a second. */
static rts_status do_single(rts_run *run, rts_work work, uint32_t count)
{
    rts_clock_study *own = rts_run_state(run);
    own->told = true;
    return rts_worker_do(&own->worker, work, count, NULL);
}

#define CLOCK(id, text, what, kind_of, reading)                                                                        \
    static uint64_t id##_read(void)                                                                                    \
    {                                                                                                                  \
        return reading;                                                                                                \
    }                                                                                                                  \
    static rts_status id##_many(rts_run *run, uint32_t count, rts_ticks *total)                                        \
    {                                                                                                                  \
        (void)run;                                                                                                     \
        return read_many(count, total, id##_read);                                                                     \
    }                                                                                                                  \
    static rts_status id##_each(rts_run *run, uint32_t count, rts_ticks *total)                                        \
    {                                                                                                                  \
        (void)total;                                                                                                   \
        return read_one_by_one(run, count, id##_read);                                                                 \
    }                                                                                                                  \
    static rts_status id##_setup(rts_run *run)                                                                         \
    {                                                                                                                  \
        return rts_clock_study_begin(run, kind_of);                                                                    \
    }                                                                                                                  \
    static rts_status id##_batch(rts_run *run, uint32_t ops, rts_ticks *total)                                         \
    {                                                                                                                  \
        return do_batch(run, id##_many, ops, total);                                                                   \
    }                                                                                                                  \
    static rts_status id##_single(rts_run *run, uint32_t samples)                                                      \
    {                                                                                                                  \
        return do_single(run, id##_each, samples);                                                                     \
    }                                                                                                                  \
    const rts_measurement rts_measurement_##id = {                                                                     \
        .name = (text),                                                                                                \
        .meaning = 1,                                                                                                  \
        .summary = (what),                                                                                             \
        .series = {(text)},                                                                                            \
        .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE,                                           \
        .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,                                                                    \
        .setup = id##_setup,                                                                                           \
        .batch = id##_batch,                                                                                           \
        .single = id##_single,                                                                                         \
        .teardown = rts_clock_study_end,                                                                               \
    };

#define COST "cost of one reading of "
/* clang-format off: a table */
CLOCK(clock_monotonic, "clock-monotonic", COST "CLOCK_MONOTONIC",
      of_clock(CLOCK_MONOTONIC, clock_monotonic_read, false), read_clock(CLOCK_MONOTONIC))
CLOCK(clock_monotonic_raw, "clock-monotonic-raw", COST "CLOCK_MONOTONIC_RAW, which nobody steers",
      of_clock(CLOCK_MONOTONIC_RAW, clock_monotonic_raw_read, false), read_clock(CLOCK_MONOTONIC_RAW))
CLOCK(clock_monotonic_coarse, "clock-monotonic-coarse", COST "CLOCK_MONOTONIC_COARSE, as of the last tick",
      of_clock(CLOCK_MONOTONIC_COARSE, clock_monotonic_coarse_read, false), read_clock(CLOCK_MONOTONIC_COARSE))
CLOCK(clock_boottime, "clock-boottime", COST "CLOCK_BOOTTIME, which counts sleep",
      of_clock(CLOCK_BOOTTIME, clock_boottime_read, false), read_clock(CLOCK_BOOTTIME))
CLOCK(clock_realtime, "clock-realtime", COST "CLOCK_REALTIME", of_clock(CLOCK_REALTIME, clock_realtime_read, true),
      read_clock(CLOCK_REALTIME))
CLOCK(clock_tai, "clock-tai", COST "CLOCK_TAI", of_clock(CLOCK_TAI, clock_tai_read, true), read_clock(CLOCK_TAI))
CLOCK(clock_gettimeofday, "clock-gettimeofday", COST "gettimeofday", of_microseconds(), read_timeofday())
CLOCK(clock_counter, "clock-counter", COST "the CPU's counter, in order", of_counter(), RTS_PORT_COUNTER_READ())
CLOCK(clock_hpet, "clock-hpet", COST "the HPET through /dev/hpet", of_device(rts_linux_hpet_open(), clock_hpet_read),
      rts_linux_hpet_read())
CLOCK(clock_ptp, "clock-ptp", COST "the first PTP clock, /dev/ptp0", of_device(rts_linux_ptp_open(), clock_ptp_read),
      rts_linux_ptp_read())
/* clang-format on */
