/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * CPU-bound programs at ordinary priority on the measured CPU (SPring-8 Table 3, "CPU load"): processes where the port has them, else threads.
 */
#include <stdatomic.h>

#include "rtstone/load.h"

/* Steps between two looks at the wish to stop: some microseconds. */
#define STEPS 1000u

/** One program. */
typedef struct program {
    struct rts_thread thread;
    uint64_t iterations; /**< of STEPS steps each; its own while it runs */
    uint64_t result;     /**< so that the work cannot be left out */
    uint64_t seed;
    const _Atomic bool *stop;
} program;

#define PROGRAMS_THAT_FIT ((RTS_LOAD_STATE_BYTES - 128u) / sizeof(program))
#define PROGRAMS (PROGRAMS_THAT_FIT < 64u ? PROGRAMS_THAT_FIT : 64u)

typedef struct state {
    _Atomic bool stop;
    uint32_t wanted;
    uint32_t running;
    rts_ticks started;
    rts_ticks stopped;
    program programs[PROGRAMS];
} state;

_Static_assert(sizeof(state) <= RTS_LOAD_STATE_BYTES, "the state of the load does not fit");

/* Knuth's MMIX generator: integer work that no compiler shortens and no cache feels. */
static uint64_t compute(uint64_t value)
{
    for (uint32_t i = 0; i < STEPS; i++) {
        value = value * 6364136223846793005u + 1442695040888963407u;
    }
    return value;
}

static void program_main(void *arg)
{
    program *own = arg;
    uint64_t value = own->seed;
    while (!atomic_load_explicit(own->stop, memory_order_relaxed)) {
        value = compute(value);
        own->iterations++;
        (void)rts_clock_read(); /* where time is simulated, it passes here */
    }
    own->result = value;
}

static void stop(void *arg)
{
    state *own = arg;
    atomic_store(&own->stop, true);
    for (uint32_t i = 0; i < own->running; i++) {
        if (rts_port_thread_join(&own->programs[i].thread) != RTS_OK) {
            rts_port_fatal("a program of the load cannot be ended");
        }
    }
    own->stopped = rts_clock_read();
}

static rts_status start(void *arg, const rts_load_spec *spec)
{
    state *own = arg;
    if (spec->intensity > PROGRAMS) {
        return RTS_INVALID;
    }
    const bool processes = rts_port_supports(RTS_SERVICE_PROCESSES) == RTS_OK;
    const rts_thread_attr attr = {
        .name = "load",
        .priority = RTS_PRIORITY_LOAD,
        .sched = RTS_SCHED_RT, /* whose lowest priority is that of ordinary programs */
        .space = processes ? RTS_SPACE_OWN : RTS_SPACE_SHARED,
        .cpu = spec->cpu,
    };
    atomic_store(&own->stop, false);
    own->wanted = spec->intensity;
    own->running = 0;
    own->started = rts_clock_read();
    for (uint32_t i = 0; i < spec->intensity; i++) {
        program *one = &own->programs[i];
        one->seed = spec->seed + i;
        one->stop = &own->stop;
        one->iterations = 0;
        const rts_status status = rts_port_thread_create(&one->thread, &attr, program_main, one);
        if (status != RTS_OK) {
            stop(own);
            own->running = 0;
            return status;
        }
        own->running++;
    }
    return RTS_OK;
}

static void achieved(void *arg, rts_load_fact_fn fact, void *fact_arg)
{
    state *own = arg;
    uint64_t iterations = 0;
    uint64_t cpu_time_ns = 0;
    bool cpu_time_known = rts_port_supports(RTS_SERVICE_CPU_TIME) == RTS_OK;
    for (uint32_t i = 0; i < own->running; i++) {
        uint64_t used_ns = 0;
        iterations += own->programs[i].iterations;
        cpu_time_known = cpu_time_known && rts_port_thread_cpu_ns(&own->programs[i].thread, &used_ns) == RTS_OK;
        cpu_time_ns += used_ns;
    }
    fact(fact_arg, "programs", own->running);
    fact(fact_arg, "iterations", iterations);
    fact(fact_arg, "elapsed_ns", rts_load_ns(own->stopped - own->started));
    if (cpu_time_known) {
        fact(fact_arg, "cpu_time_ns", cpu_time_ns);
    }
}

const rts_load rts_load_cpu = {
    .name = "cpu",
    .summary = "CPU-bound programs at ordinary priority on the measured CPU",
    .unit = "programs",
    .services = 1u << RTS_SERVICE_THREADS,
    .state_bytes = sizeof(state),
    .start = start,
    .stop = stop,
    .achieved = achieved,
};
