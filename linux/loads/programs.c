/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs of a load: processes of ordinary priority on the measured CPU.
 */
#include "programs.h"

rts_status rts_programs_make(struct rts_thread *thread, void (*entry)(void *), void *arg, int32_t cpu)
{
    const rts_thread_attr attr = {
        .name = "load",
        .priority = RTS_PRIORITY_LOAD,
        .sched = RTS_SCHED_RT, /* whose lowest priority is that of ordinary programs */
        .space = RTS_SPACE_OWN,
        .cpu = cpu,
    };
    return rts_port_thread_create(thread, &attr, entry, arg);
}

static void live(void *arg)
{
    rts_program *own = arg;
    while (!atomic_load_explicit(own->stop, memory_order_relaxed)) {
        own->step(own);
    }
}

void rts_programs_stop(void *programs)
{
    rts_programs *own = programs;
    own->ended = rts_clock_read();
    atomic_store(&own->stop, true);
    for (uint32_t i = 0; i < own->running; i++) {
        if (rts_port_thread_join(&own->programs[i].thread) != RTS_OK) {
            rts_port_fatal("a program of the load cannot be ended");
        }
    }
}

rts_status rts_programs_start(rts_programs *own, const rts_load_spec *spec, void (*step)(rts_program *own))
{
    if (spec->intensity > RTS_PROGRAMS) {
        return RTS_INVALID;
    }
    *own = (rts_programs){.began = rts_clock_read()};
    for (uint32_t i = 0; i < spec->intensity; i++) {
        rts_program *one = &own->programs[i];
        one->stop = &own->stop;
        one->step = step;
        one->number = i;
        const rts_status status = rts_programs_make(&one->thread, live, one, spec->cpu);
        if (status != RTS_OK) {
            rts_programs_stop(own);
            return status;
        }
        own->running++;
    }
    return RTS_OK;
}

uint64_t rts_programs_sum(const rts_programs *own, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < own->running; i++) {
        sum += own->programs[i].counts[count];
    }
    return sum;
}

const char *rts_programs_why(const void *programs)
{
    const rts_programs *own = programs;
    return own->why[0] == '\0' ? NULL : own->why;
}

uint64_t rts_programs_failures(const void *programs)
{
    const rts_programs *own = programs;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < own->running; i++) {
        sum += own->programs[i].failures;
    }
    return sum;
}

uint64_t rts_programs_per_s(const rts_programs *own, uint64_t sum)
{
    return rts_load_per_s(sum, rts_load_ns(own->ended - own->began));
}

void rts_programs_achieved(rts_programs *own, const char *const names[RTS_PROGRAM_COUNTS], rts_load_fact_fn fact,
                           void *arg)
{
    uint64_t cpu_time_ns = 0;
    bool known = true;
    for (uint32_t n = 0; n < RTS_PROGRAM_COUNTS && names[n] != NULL; n++) {
        fact(arg, names[n], rts_programs_sum(own, n));
    }
    for (uint32_t i = 0; i < own->running; i++) {
        uint64_t used_ns = 0;
        known = known && rts_port_thread_cpu_ns(&own->programs[i].thread, &used_ns) == RTS_OK;
        cpu_time_ns += used_ns;
    }
    fact(arg, "failures", rts_programs_failures(own));
    fact(arg, "programs", own->running);
    fact(arg, "elapsed_ns", rts_load_ns(own->ended - own->began));
    if (known) {
        fact(arg, "cpu_time_ns", cpu_time_ns);
    }
}
