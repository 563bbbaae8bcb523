/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which services RTEMS' classic API has, all as such; which its pthreads have; and why not the rest.
 */
#include "rtems_port.h"

#ifdef RTS_RTEMS_PTHREADS
#define HAS_SUSPENSION false
#else
#define HAS_SUSPENSION true
#endif

rts_status rts_port_supports(rts_service service)
{
    switch (service) {
    case RTS_SERVICE_THREAD_SUSPEND:
    case RTS_SERVICE_THREAD_SUSPEND_SELF:
        return HAS_SUSPENSION ? RTS_OK : RTS_UNSUPPORTED;
    case RTS_SERVICE_THREADS:
    case RTS_SERVICE_YIELD:
    case RTS_SERVICE_SEMAPHORE:
    case RTS_SERVICE_PING_SEMAPHORE:
    case RTS_SERVICE_MUTEX:
    case RTS_SERVICE_MUTEX_INHERIT:
    case RTS_SERVICE_QUEUE:
    case RTS_SERVICE_QUEUE_URGENT:
    case RTS_SERVICE_BLOCKS:
    case RTS_SERVICE_TIMER:
        return RTS_OK;
    case RTS_SERVICE_TRAFFIC:
        return BOARD_HAS_TRAFFIC ? RTS_OK : RTS_UNSUPPORTED;
    case RTS_SERVICE_PROCESSES:
    case RTS_SERVICE_PROCESS_SUSPEND:
    case RTS_SERVICE_TIME_SHARING:
    case RTS_SERVICE_CACHE_FLUSH:
    case RTS_SERVICE_SWITCH_COUNT:
    case RTS_SERVICE_CPU_TIME:
    case RTS_SERVICE_KERNEL_SPLIT:
    case RTS_SERVICE_PROGRAMS:
    case RTS_SERVICE_COUNT:
        return RTS_UNSUPPORTED;
    }
    return RTS_UNSUPPORTED;
}

const char *rts_port_substitute(rts_service service)
{
    if (HAS_SUSPENSION) {
        return NULL;
    }
    switch (service) {
    case RTS_SERVICE_QUEUE_URGENT:
        return "POSIX queues have no send to the head: rising message priorities stand in for it, last in first out";
    case RTS_SERVICE_BLOCKS:
        return "POSIX has no partition: RTEMS' own stands in for it";
    default:
        return NULL;
    }
}

const char *rts_port_why_not(rts_service service)
{
    switch (service) {
    case RTS_SERVICE_THREAD_SUSPEND:
    case RTS_SERVICE_THREAD_SUSPEND_SELF:
        return "POSIX cannot suspend one thread of a process";
    case RTS_SERVICE_PROCESSES:
    case RTS_SERVICE_PROCESS_SUSPEND:
        return "RTEMS has no processes";
    case RTS_SERVICE_TIME_SHARING:
        return "RTEMS has no time-sharing class: time slices among equal priorities are not one";
    case RTS_SERVICE_CACHE_FLUSH:
        return "the emulated board has no caches";
    case RTS_SERVICE_SWITCH_COUNT:
        return "RTEMS does not count switches; an extension that did would be paid in every switch that is measured";
    case RTS_SERVICE_CPU_TIME:
        return "RTEMS' classic API reports CPU time to a reader, not to a program";
    case RTS_SERVICE_TRAFFIC:
        return BOARD_TRAFFIC_WHY_NOT;
    default:
        return NULL;
    }
}
