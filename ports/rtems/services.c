/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which services RTEMS' classic API has, all as such; which its pthreads have; and why not the rest.
 */
#include "board_hooks.h"
#include "rtems_port.h"

#ifdef RTS_RTEMS_PTHREADS
#define SUSPENSION KERNEL_LACKS("POSIX cannot suspend one thread of a process")
#define URGENT                                                                                                         \
    KERNEL_HAS_BY("POSIX queues have no send to the head: rising message priorities stand in for it, last in first out")
#define BLOCKS KERNEL_HAS_BY("POSIX has no partition: RTEMS' own stands in for it")
#else
#define SUSPENSION KERNEL_HAS
#define URGENT KERNEL_HAS
#define BLOCKS KERNEL_HAS
#endif

const rts_kernel_service rts_kernel_services[RTS_SERVICE_COUNT] = {
    [RTS_SERVICE_THREADS] = KERNEL_HAS,
    [RTS_SERVICE_PROCESSES] = KERNEL_LACKS("RTEMS has no processes"),
    [RTS_SERVICE_THREAD_SUSPEND] = SUSPENSION,
    [RTS_SERVICE_THREAD_SUSPEND_SELF] = SUSPENSION,
    [RTS_SERVICE_PROCESS_SUSPEND] = KERNEL_LACKS("RTEMS has no processes"),
    [RTS_SERVICE_YIELD] = KERNEL_HAS,
    [RTS_SERVICE_SEMAPHORE] = KERNEL_HAS,
    [RTS_SERVICE_PING_SEMAPHORE] = KERNEL_HAS,
    [RTS_SERVICE_MUTEX] = KERNEL_HAS,
    [RTS_SERVICE_MUTEX_INHERIT] = KERNEL_HAS,
    [RTS_SERVICE_QUEUE] = KERNEL_HAS,
    [RTS_SERVICE_QUEUE_URGENT] = URGENT,
    [RTS_SERVICE_BLOCKS] = BLOCKS,
    [RTS_SERVICE_TIMER] = KERNEL_HAS,
    [RTS_SERVICE_TIME_SHARING] =
        KERNEL_LACKS("RTEMS has no time-sharing class: time slices among equal priorities are not one"),
    [RTS_SERVICE_SWITCH_COUNT] = KERNEL_LACKS(
        "RTEMS does not count switches; an extension that did would be paid in every switch that is measured"),
    [RTS_SERVICE_CPU_TIME] = KERNEL_LACKS("RTEMS' classic API reports CPU time to a reader, not to a program"),
};
