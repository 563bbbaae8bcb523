/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The facts that the kernel reports about itself, and the resources that a run acquires: none.
 */
#include "board_hooks.h"
#include "rt_port.h"

void rts_kernel_describe(rts_fact_fn fact, void *arg)
{
    fact(arg, "kernel.sysname", "rt");
    fact(arg, "kernel.release", RTS_RT_VERSION);
#ifdef RTS_RT_PATCH
    fact(arg, "kernel.patch", RTS_RT_PATCH);
#endif
    fact(arg, "sched.rt", "fixed priorities, preemptive; of equal ones the next at each tick");
    fact(arg, "sched.priorities", "top 1, high 2, middle 3, low 4, engine 5, load 6, idle 31 of 0 to 31");
    fact(arg, "sched.slices", "one tick");
    board_fact_number(fact, arg, "sched.tick_hz", RTS_RT_TICK_HZ);
    fact(arg, "idle", "never halts");
    fact(arg, "task.memory", "the port's: a stack of a pool; a task that has ended is restarted as another");
    fact(arg, "kernel.heap", "none");
    board_fact_number(fact, arg, "memory.task_stack_bytes", BOARD_STACK_BYTES);
    fact(arg, "kernel.asserts", "on: four in the mutex, which cannot be left out");
    fact(arg, "kernel.stack_checks", "off");
    fact(arg, "kernel.mpu", "off");
    fact(arg, "kernel.masking", "none: queues and semaphores by atomic instructions, the rest in system calls");
    fact(arg, "kernel.inlining", "within a source file");
}

rts_status rts_port_prepare(rts_degraded_fn degraded, void *arg)
{
    (void)degraded;
    (void)arg;
    return RTS_OK;
}

void rts_port_release(void) {}
