/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The facts that the kernel reports about itself, and the resources that a run acquires: none.
 */
#include "board_hooks.h"
#include "freertos.h"

void rts_kernel_describe(rts_fact_fn fact, void *arg)
{
    fact(arg, "kernel.sysname", "FreeRTOS");
    fact(arg, "kernel.release", tskKERNEL_VERSION_NUMBER);
    fact(arg, "sched.rt", "fixed priorities, preemptive, first in first out within one (no time slices)");
    fact(arg, "sched.priorities", "idle 0, load 1, engine 2, low 3, middle 4, high 5, top 6 of 0 to 7");
    fact(arg, "sched.slices", "none");
    board_fact_number(fact, arg, "sched.tick_hz", configTICK_RATE_HZ);
    fact(arg, "idle", "never halts");
    fact(arg, "task.memory",
         "from the kernel's heap; a task that deletes itself is taken back by the idle task, "
         "outside the window");
    fact(arg, "kernel.heap", RTS_FREERTOS_HEAP ": first fit, joins free neighbours");
    board_fact_number(fact, arg, "memory.kernel_heap_bytes", configTOTAL_HEAP_SIZE);
    board_fact_number(fact, arg, "memory.task_stack_bytes", RTS_FREERTOS_THREAD_STACK_BYTES);
#if RTSTONE_KERNEL_ASSERTS
    fact(arg, "kernel.asserts", "on: figures are not those of the kernel");
#else
    fact(arg, "kernel.asserts", "off");
#endif
#if defined(configUSE_TASK_FPU_SUPPORT) && configUSE_TASK_FPU_SUPPORT == 2
    fact(arg, "kernel.float",
         "each switch saves all registers of VFP and NEON, each interrupt those that C may change");
#endif
    fact(arg, "kernel.stack_checks", "off");
    fact(arg, "kernel.mpu", "off");
    fact(arg, "kernel.masking", "interrupts up to the measured one's priority, in critical sections");
    fact(arg, "kernel.inlining", "within a source file");
}

rts_status rts_port_prepare(rts_degraded_fn degraded, void *arg)
{
    (void)degraded;
    (void)arg;
    return RTS_OK;
}

void rts_port_release(void) {}

void rts_freertos_assert_failed(const char *what);

void rts_freertos_assert_failed(const char *what)
{
    taskDISABLE_INTERRUPTS();
    board_console_write("rtstone: ", 9);
    rts_port_fatal(what);
}
