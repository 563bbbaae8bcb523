/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The facts that the kernel reports about itself, and the resources that a run acquires: none.
 */
#include "board_hooks.h"
#include "freertos_rust.h"

void rts_kernel_describe(rts_fact_fn fact, void *arg)
{
    fact(arg, "kernel.sysname", "FreeRTOS in Rust");
    fact(arg, "kernel.release", "0.3.0");
    fact(arg, "kernel.version", "a translation of FreeRTOS after V10.4.3");
    fact(arg, "kernel.compiler", RTS_RUST_COMPILER ", opt-level 2");
    fact(arg, "sched.rt", "fixed priorities, preemptive; of equal ones the next at each tick");
    fact(arg, "sched.priorities", "idle and load 0, engine and low 1, middle 2, high 3, top 4 of 0 to 4");
    fact(arg, "sched.slices", "one tick");
    board_fact_number(fact, arg, "sched.tick_hz", configTICK_RATE_HZ);
    fact(arg, "idle", "never halts");
    fact(arg, "task.memory",
         "from the kernel's heap; a task that ends suspends itself and is deleted by its join, outside the window");
    fact(arg, "kernel.heap", RTS_FREERTOS_HEAP ": first fit, joins free neighbours");
    board_fact_number(fact, arg, "memory.kernel_heap_bytes", rts_rust_heap_bytes());
    board_fact_number(fact, arg, "memory.task_stack_bytes", RTS_RUST_THREAD_STACK_BYTES);
    fact(arg, "kernel.asserts", "on: they cannot be left out");
    fact(arg, "kernel.stack_checks", "off");
    fact(arg, "kernel.mpu", "off");
    fact(arg, "kernel.masking", "interrupts up to the measured one's priority, in critical sections");
    fact(arg, "kernel.inlining", "within the whole kernel (LTO)");
}

rts_status rts_port_prepare(rts_degraded_fn degraded, void *arg)
{
    (void)degraded;
    (void)arg;
    return RTS_OK;
}

void rts_port_release(void) {}
