/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * [required] What the target is: facts, clocks, CPUs, which services it has. Write this file second, after the header.
 */
#include "rtstone/port.h"

/*
 * [required] One call of `fact` for each thing that somebody would need to know to believe or to repeat the figures: kernel and
 * version, CPU and its frequency, compiler and flags, tick rate, cache state, what the run changes. Only what is known: a
 * missing fact is honest, a guessed one is not.
 */
void rts_port_describe(rts_fact_fn fact, void *arg)
{
    fact(arg, "kernel.sysname", "template");
}

/*
 * [required] Acquires the resources of a run (locked memory, a timer, full clock rate). Reports each one that it cannot get by
 * `degraded(arg, "no-...", "one sentence", "the command that fixes it, or an empty string")`, and goes on.
 */
rts_status rts_port_prepare(rts_degraded_fn degraded, void *arg)
{
    (void)degraded;
    (void)arg;
    return RTS_OK;
}

/* [required] Gives all of it back. */
void rts_port_release(void) {}

/*
 * [required] hz must be true: from a register, from the board's clock tree, or measured against a second clock; `source` says which,
 * uncertainty_ppb how far it may be off. RTS_BROKEN when nobody knows: a wrong number is worse than none.
 */
rts_status rts_port_clock_info(rts_clock_info *info)
{
    (void)info;
    return RTS_BROKEN;
}

/* [required] */
rts_status rts_port_timer_clock_info(rts_clock_info *info)
{
    return rts_port_clock_info(info);
}

/*
 * [required] The services that this port has. A measurement whose services are not all there is skipped and gets a * in the
 * table, as in the papers; so begin with none and let each hook that you write unlock its measurements.
 */
rts_status rts_port_supports(rts_service service)
{
    switch (service) {
    case RTS_SERVICE_THREADS:
    case RTS_SERVICE_SEMAPHORE:
    default:
        return RTS_UNSUPPORTED;
    }
}

/* [required] What stands in for the service, one sentence, when it is not the thing itself; it goes to the table's cell. */
const char *rts_port_substitute(rts_service service)
{
    (void)service;
    return NULL;
}

/* [required] Why not, one sentence, where the user could wonder. */
const char *rts_port_why_not(rts_service service)
{
    (void)service;
    return "this port is a template: nothing of it is written yet";
}

/* [required] */
uint32_t rts_port_cpu_count(void)
{
    return 1;
}

/* [required] RTS_CPU_ANY stands for the CPU that is best to measure on. */
rts_status rts_port_cpu_resolve(int32_t wanted, int32_t *actual)
{
    if (wanted != RTS_CPU_ANY && wanted != 0) {
        return RTS_INVALID;
    }
    *actual = 0;
    return RTS_OK;
}

/*
 * [required] The kernel's own number. RTS_PRIORITY_TOP must be the highest that a task can have below the measured interrupt, and
 * RTS_PRIORITY_LOAD must never keep a measured task from running.
 */
int32_t rts_port_priority_native(rts_priority priority, rts_sched sched)
{
    (void)sched;
    return (int32_t)priority;
}
