/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which services rt has, what stands in for those that it nearly has, and why not for the rest.
 */
#include "board_hooks.h"
#include "rt_port.h"

const rts_kernel_service rts_kernel_services[RTS_SERVICE_COUNT] = {
    [RTS_SERVICE_THREADS] = KERNEL_HAS,
    [RTS_SERVICE_PROCESSES] = KERNEL_LACKS("rt has no processes"),
    [RTS_SERVICE_THREAD_SUSPEND] = KERNEL_LACKS("rt cannot suspend and resume a task, only end and restart it"),
    [RTS_SERVICE_THREAD_SUSPEND_SELF] = KERNEL_LACKS("rt cannot suspend and resume a task, only end and restart it"),
    [RTS_SERVICE_PROCESS_SUSPEND] = KERNEL_LACKS("rt has no processes"),
    [RTS_SERVICE_YIELD] = KERNEL_HAS,
    [RTS_SERVICE_SEMAPHORE] = KERNEL_HAS,
    [RTS_SERVICE_PING_SEMAPHORE] = KERNEL_HAS_BY(
        "one rt semaphore pings only while no tick comes between give and take; two are used, as the paper did "
        "for VxWorks"),
    [RTS_SERVICE_MUTEX] = KERNEL_HAS,
    [RTS_SERVICE_MUTEX_INHERIT] = KERNEL_HAS,
    [RTS_SERVICE_QUEUE] = KERNEL_HAS,
    [RTS_SERVICE_QUEUE_URGENT] = KERNEL_LACKS("a queue of rt takes messages at its tail only"),
    [RTS_SERVICE_BLOCKS] = KERNEL_HAS,
    [RTS_SERVICE_TIMER] = KERNEL_HAS,
    [RTS_SERVICE_TIME_SHARING] =
        KERNEL_LACKS("rt has no time-sharing class: equal priorities that take turns are not one"),
    [RTS_SERVICE_SWITCH_COUNT] = KERNEL_LACKS(
        "rt does not count switches; its trace, which could, would be paid in every switch that is measured"),
    [RTS_SERVICE_CPU_TIME] =
        KERNEL_LACKS("rt's cycle counts read a counter at every system call, which would be paid where it is measured"),
};
