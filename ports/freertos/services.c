/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which services FreeRTOS has, in C or in Rust, what stands in for those that it lacks, and why not for the rest.
 */
#include "board_hooks.h"
#include "freertos.h"

const rts_kernel_service rts_kernel_services[RTS_SERVICE_COUNT] = {
    [RTS_SERVICE_THREADS] = KERNEL_HAS,
    [RTS_SERVICE_PROCESSES] = KERNEL_LACKS("FreeRTOS has no processes"),
    [RTS_SERVICE_THREAD_SUSPEND] = KERNEL_HAS,
    [RTS_SERVICE_THREAD_SUSPEND_SELF] = KERNEL_HAS,
    [RTS_SERVICE_PROCESS_SUSPEND] = KERNEL_LACKS("FreeRTOS has no processes"),
    [RTS_SERVICE_YIELD] = KERNEL_HAS,
    [RTS_SERVICE_SEMAPHORE] = KERNEL_HAS,
    [RTS_SERVICE_PING_SEMAPHORE] = KERNEL_HAS_BY(
        "one FreeRTOS semaphore does not ping: a give leaves the CPU with the giver, which takes it again; two are "
        "used, as the paper did for VxWorks"),
    [RTS_SERVICE_MUTEX] = KERNEL_HAS,
    [RTS_SERVICE_MUTEX_INHERIT] = KERNEL_HAS,
    [RTS_SERVICE_QUEUE] = KERNEL_HAS,
    [RTS_SERVICE_QUEUE_URGENT] = KERNEL_HAS,
    [RTS_SERVICE_BLOCKS] = KERNEL_HAS_BY("FreeRTOS has no partition: its heap (" RTS_FREERTOS_HEAP
                                         ", first fit, joins free neighbours) stands in for it"),
    [RTS_SERVICE_TIMER] = KERNEL_HAS,
    [RTS_SERVICE_TIME_SHARING] =
        KERNEL_LACKS("FreeRTOS has no time-sharing class: equal priorities that take turns are not one"),
    [RTS_SERVICE_SWITCH_COUNT] = KERNEL_LACKS(
        "FreeRTOS does not count switches; a trace hook that did would be paid in every switch that is measured"),
    [RTS_SERVICE_CPU_TIME] = KERNEL_LACKS(
        "FreeRTOS's run-time statistics read a clock at every switch, which would be paid where it is measured"),
};
