/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The built-in scripts: targets whose every figure is known beforehand.
 */
#include <string.h>

#include "simulated.h"

/* Primes, so that a sum of costs shows which calls it consists of. */
#define COSTS                                                                                                          \
    {                                                                                                                  \
        [SIM_CLOCK_READ] = 3, [SIM_THREAD_CREATE] = 211, [SIM_THREAD_JOIN] = 101, [SIM_YIELD] = 17,                    \
        [SIM_SUSPEND] = 29, [SIM_SUSPEND_SELF] = 37, [SIM_RESUME] = 31, [SIM_TAKE] = 41, [SIM_GIVE] = 43,              \
        [SIM_GIVE_ISR] = 47, [SIM_LOCK] = 59, [SIM_UNLOCK] = 61, [SIM_SEND] = 67, [SIM_SEND_URGENT] = 71,              \
        [SIM_RECEIVE] = 73, [SIM_ALLOC] = 79, [SIM_FREE] = 83, [SIM_CACHE_FLUSH] = 997, [SIM_THREAD_EXIT] = 53,        \
        [SIM_SWITCH] = 107, [SIM_PROCESS_SWITCH] = 307,                                                                \
    }

/* 1 tick = 1 ns. */
#define COMMON .hz = 1000000000u, .cost = COSTS, .load_step = 1009, .quantum = 1000000

#define LATENCIES(list) .latencies = (list), .latency_count = sizeof(list) / sizeof((list)[0])

static const int64_t steady_latencies[] = {500};
static const int64_t tail_latencies[] = {400, 410, 430, 400, 405, 420, 400, 415, 440, 9000,
                                         400, 410, 430, 400, 405, 420, 400, 415, 440, 64000};
static const int64_t negative_latencies[] = {120, -80, 0, -1, 250, -4000, 60};
/* The third interrupt is more than two periods of a millisecond late: the next two are late because of it. */
static const int64_t overrun_latencies[] = {600, 700, 2500000, 600, 700, 600, 650, 600};
/* Beyond 2^30 ticks on one side and 2^20 on the other. Plans that use it need periods longer than that. */
static const int64_t overflow_latencies[] = {300, 1073741824, 300, 1073741823, 300, -1048576};

const sim_script sim_scripts[] = {
    {.name = "steady",
     .summary = "every call costs the same each time; each interrupt is 500 ticks late",
     COMMON,
     LATENCIES(steady_latencies)},
    {.name = "tails",
     .summary = "one take in 50 costs 5000 ticks more; interrupts have a long tail",
     COMMON,
     LATENCIES(tail_latencies),
     .tail_call = SIM_TAKE,
     .tail_every = 50,
     .tail_cost = 5000},
    {.name = "negative", .summary = "some interrupts come before they are due", COMMON, LATENCIES(negative_latencies)},
    {.name = "overrun",
     .summary = "some interrupts are later than two periods of a millisecond",
     COMMON,
     LATENCIES(overrun_latencies)},
    {.name = "overflow",
     .summary = "some latencies lie beyond the histogram on either side (needs periods above 1.1 s)",
     COMMON,
     LATENCIES(overflow_latencies)},
    {.name = "other-clock",
     .summary = "the measured interrupt is timed on a slower clock of its own",
     COMMON,
     LATENCIES(steady_latencies),
     .timer_divider = 10},
    {.name = "substitutes",
     .summary = "semaphores that can be taken back, urgent messages that keep their order",
     COMMON,
     LATENCIES(steady_latencies),
     .barging = true,
     .urgent_fifo = true},
    {.name = "unsupported",
     .summary = "no processes, suspension, urgent messages, blocks, timer or traffic",
     COMMON,
     .unsupported = 1u << RTS_SERVICE_PROCESSES | 1u << RTS_SERVICE_THREAD_SUSPEND |
                    1u << RTS_SERVICE_THREAD_SUSPEND_SELF | 1u << RTS_SERVICE_PROCESS_SUSPEND |
                    1u << RTS_SERVICE_QUEUE_URGENT | 1u << RTS_SERVICE_BLOCKS | 1u << RTS_SERVICE_TIMER |
                    1u << RTS_SERVICE_SWITCH_COUNT | 1u << RTS_SERVICE_CPU_TIME | 1u << RTS_SERVICE_CACHE_FLUSH |
                    1u << RTS_SERVICE_TRAFFIC},
    {.name = "denied",
     .summary = "processes and the timer are refused",
     COMMON,
     .denied = 1u << RTS_SERVICE_PROCESSES | 1u << RTS_SERVICE_TIMER},
    {.name = "duty",
     .summary = "measured code may run 950 us, then must rest 50 us",
     COMMON,
     LATENCIES(steady_latencies),
     .duty_run = 950000,
     .duty_rest = 50000},
    {.name = "no-switch",
     .summary = "broken: a yield or a give does not let the other task run",
     COMMON,
     LATENCIES(steady_latencies),
     .barging = true,
     .faults = {{.kind = SIM_FAULT_NO_SWITCH, .call = SIM_YIELD, .from = 1, .every = 1},
                {.kind = SIM_FAULT_NO_SWITCH, .call = SIM_GIVE, .from = 1, .every = 1},
                {.kind = SIM_FAULT_NO_SWITCH, .call = SIM_RESUME, .from = 1, .every = 1}}},
    {.name = "free",
     .summary = "nothing costs any time but reading the clock, which costs one tick",
     .hz = 1000000000u,
     .cost = {[SIM_CLOCK_READ] = 1},
     .load_step = 1009,
     .quantum = 1000000},
    {.name = "stopped-clock", .summary = "broken: the clock never moves", .hz = 1000000000u},
};

const size_t sim_script_count = sizeof sim_scripts / sizeof sim_scripts[0];

const sim_script *sim_script_find(const char *name)
{
    for (size_t i = 0; i < sim_script_count; i++) {
        if (strcmp(sim_scripts[i].name, name) == 0) {
            return &sim_scripts[i];
        }
    }
    return NULL;
}
