/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which services ThreadX has, all as such, and why not the rest.
 */
#include "board_hooks.h"
#include "threadx.h"

const rts_kernel_service rts_kernel_services[RTS_SERVICE_COUNT] = {
    [RTS_SERVICE_THREADS] = KERNEL_HAS,
    [RTS_SERVICE_PROCESSES] =
        KERNEL_LACKS("ThreadX has no processes; its modules, which can be kept apart by an MPU, are not measured"),
    [RTS_SERVICE_THREAD_SUSPEND] = KERNEL_HAS,
    [RTS_SERVICE_THREAD_SUSPEND_SELF] = KERNEL_HAS,
    [RTS_SERVICE_PROCESS_SUSPEND] =
        KERNEL_LACKS("ThreadX has no processes; its modules, which can be kept apart by an MPU, are not measured"),
    [RTS_SERVICE_YIELD] = KERNEL_HAS,
    [RTS_SERVICE_SEMAPHORE] = KERNEL_HAS,
    [RTS_SERVICE_PING_SEMAPHORE] = KERNEL_HAS,
    [RTS_SERVICE_MUTEX] = KERNEL_HAS,
    [RTS_SERVICE_MUTEX_INHERIT] = KERNEL_HAS,
    [RTS_SERVICE_QUEUE] = KERNEL_HAS,
    [RTS_SERVICE_QUEUE_URGENT] = KERNEL_HAS,
    [RTS_SERVICE_BLOCKS] = KERNEL_HAS,
    [RTS_SERVICE_TIMER] = KERNEL_HAS,
    [RTS_SERVICE_TIME_SHARING] =
        KERNEL_LACKS("ThreadX has no time-sharing class: time slices among equal priorities are not one"),
    [RTS_SERVICE_SWITCH_COUNT] = KERNEL_LACKS(
        "ThreadX counts how often a thread was scheduled, not how often it gave up the CPU of its own accord"),
    [RTS_SERVICE_CPU_TIME] = KERNEL_LACKS(
        "ThreadX's execution profile reads a clock at every switch, which would be paid where it is measured"),
};
