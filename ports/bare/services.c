/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the hardware alone serves, and why not the rest.
 */
#include "board_hooks.h"

#define ONE_THREAD "no kernel: there is one thread"

const rts_kernel_service rts_kernel_services[RTS_SERVICE_COUNT] = {
    [RTS_SERVICE_THREADS] = KERNEL_LACKS(ONE_THREAD),
    [RTS_SERVICE_PROCESSES] = KERNEL_LACKS(ONE_THREAD),
    [RTS_SERVICE_THREAD_SUSPEND] = KERNEL_LACKS(ONE_THREAD),
    [RTS_SERVICE_THREAD_SUSPEND_SELF] = KERNEL_LACKS(ONE_THREAD),
    [RTS_SERVICE_PROCESS_SUSPEND] = KERNEL_LACKS(ONE_THREAD),
    [RTS_SERVICE_YIELD] = KERNEL_LACKS(ONE_THREAD),
    [RTS_SERVICE_SEMAPHORE] = KERNEL_LACKS(ONE_THREAD),
    [RTS_SERVICE_PING_SEMAPHORE] = KERNEL_LACKS(ONE_THREAD),
    [RTS_SERVICE_MUTEX] = KERNEL_LACKS(ONE_THREAD),
    [RTS_SERVICE_MUTEX_INHERIT] = KERNEL_LACKS(ONE_THREAD),
    [RTS_SERVICE_QUEUE] = KERNEL_LACKS(ONE_THREAD),
    [RTS_SERVICE_QUEUE_URGENT] = KERNEL_LACKS(ONE_THREAD),
    [RTS_SERVICE_BLOCKS] = KERNEL_LACKS(ONE_THREAD),
    [RTS_SERVICE_TIMER] =
        KERNEL_HAS_BY("no kernel: the task response is that of a loop that polls a flag, which the handler raises"),
    [RTS_SERVICE_TIME_SHARING] = KERNEL_LACKS(ONE_THREAD),
    [RTS_SERVICE_SWITCH_COUNT] = KERNEL_LACKS(ONE_THREAD),
    [RTS_SERVICE_CPU_TIME] = KERNEL_LACKS(ONE_THREAD),
    [RTS_SERVICE_TRAFFIC] = KERNEL_HAS_BY("no kernel: the load's handlers take what comes, no task does"),
    [RTS_SERVICE_KERNEL_SPLIT] = KERNEL_LACKS(ONE_THREAD),
    [RTS_SERVICE_PROGRAMS] = KERNEL_LACKS(ONE_THREAD),
};

void rts_kernel_describe(rts_fact_fn fact, void *arg)
{
    fact(arg, "kernel.sysname", "none");
    fact(arg, "kernel.release", "bare metal");
    fact(arg, "sched.rt", "one thread; interrupts preempt it");
    fact(arg, "idle", "never halts");
}

rts_status rts_port_prepare(rts_degraded_fn degraded, void *arg)
{
    (void)degraded;
    (void)arg;
    board_interrupts_on();
    return RTS_OK;
}

void rts_port_release(void) {}
