/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which services rt has, what stands in for those that it nearly has, and why not for the rest.
 */
#include "rt_port.h"

rts_status rts_port_supports(rts_service service)
{
    switch (service) {
    case RTS_SERVICE_THREADS:
    case RTS_SERVICE_YIELD:
    case RTS_SERVICE_SEMAPHORE:
    case RTS_SERVICE_PING_SEMAPHORE:
    case RTS_SERVICE_MUTEX:
    case RTS_SERVICE_MUTEX_INHERIT:
    case RTS_SERVICE_QUEUE:
    case RTS_SERVICE_BLOCKS:
    case RTS_SERVICE_TIMER:
        return RTS_OK;
    case RTS_SERVICE_TRAFFIC:
        return BOARD_HAS_TRAFFIC ? RTS_OK : RTS_UNSUPPORTED;
    case RTS_SERVICE_THREAD_SUSPEND:
    case RTS_SERVICE_THREAD_SUSPEND_SELF:
    case RTS_SERVICE_QUEUE_URGENT:
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
    if (service == RTS_SERVICE_PING_SEMAPHORE) {
        return "one rt semaphore pings only while no tick comes between give and take; two are used, as the paper did "
               "for VxWorks";
    }
    return NULL;
}

const char *rts_port_why_not(rts_service service)
{
    switch (service) {
    case RTS_SERVICE_THREAD_SUSPEND:
    case RTS_SERVICE_THREAD_SUSPEND_SELF:
        return "rt cannot suspend and resume a task, only end and restart it";
    case RTS_SERVICE_QUEUE_URGENT:
        return "a queue of rt takes messages at its tail only";
    case RTS_SERVICE_PROCESSES:
    case RTS_SERVICE_PROCESS_SUSPEND:
        return "rt has no processes";
    case RTS_SERVICE_TIME_SHARING:
        return "rt has no time-sharing class: equal priorities that take turns are not one";
    case RTS_SERVICE_CACHE_FLUSH:
        return "the emulated board has no caches";
    case RTS_SERVICE_SWITCH_COUNT:
        return "rt does not count switches; its trace, which could, would be paid in every switch that is measured";
    case RTS_SERVICE_CPU_TIME:
        return "rt's cycle counts read a counter at every system call, which would be paid where it is measured";
    case RTS_SERVICE_TRAFFIC:
        return BOARD_TRAFFIC_WHY_NOT;
    default:
        return NULL;
    }
}
