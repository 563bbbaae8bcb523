/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The facts that the kernel and its library report about themselves, and the resources that a run acquires: none.
 */
#include <rtems/version.h>

#include "board_hooks.h"
#include "rtems_port.h"

static const char options[] = ""
#ifdef RTEMS_SMP
                              "; for several processors"
#endif
#ifdef RTEMS_POSIX_API
                              "; with the POSIX API"
#endif
#ifdef RTEMS_PROFILING
                              "; profiling"
#endif
#ifdef RTEMS_DEBUG
                              "; assertions"
#endif
    ;

void rts_kernel_describe(rts_fact_fn fact, void *arg)
{
    fact(arg, "kernel.sysname", "RTEMS");
    fact(arg, "kernel.release", rtems_version());
    fact(arg, "kernel.bsp", RTS_RTEMS_BSP);
    fact(arg, "kernel.compiler", RTS_RTEMS_COMPILER);
    fact(arg, "kernel.options", options[0] == '\0' ? "the defaults" : options + 2);
    fact(arg, "sched.rt", "fixed priorities, preemptive, first in first out within one (no time slices)");
    fact(arg, "sched.priorities", RTS_RTEMS_PRIORITIES);
    fact(arg, "sched.slices", "none");
    board_fact_number(fact, arg, "sched.tick_hz", RTS_RTEMS_TICK_HZ);
    fact(arg, "idle", "never halts: an idle task of the port's that loops");
    fact(arg, "kernel.api", RTS_RTEMS_API);
    fact(arg, "task.memory", "RTEMS': stack and control block from its work space, at each creation");
    fact(arg, "kernel.heap", "RTEMS' work space, first fit");
    board_fact_number(fact, arg, "memory.task_stack_bytes", RTS_RTEMS_STACK_BYTES);
#ifdef RTEMS_DEBUG
    fact(arg, "kernel.asserts", "on: RTEMS_DEBUG; figures are not those of the kernel");
#else
    fact(arg, "kernel.asserts", "on, as far as each directive always checks its arguments; RTEMS_DEBUG is off");
#endif
    fact(arg, "kernel.stack_checks", RTS_RTEMS_STACK_CHECKS);
    fact(arg, "kernel.mpu", "off");
    fact(arg, "kernel.masking", "all interrupts, for parts of each service");
    fact(arg, "kernel.inlining", "within a source file, and what RTEMS' headers have inline");
#ifdef RTS_RTEMS_DESCRIBE_ALSO
    RTS_RTEMS_DESCRIBE_ALSO(fact, arg);
#endif
}

rts_status rts_port_prepare(rts_degraded_fn degraded, void *arg)
{
    (void)degraded;
    (void)arg;
    return RTS_OK;
}

void rts_port_release(void) {}
