/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which services libCom has, what stands in for those that it nearly has, and why not for the rest.
 */
#include "epics.h"

rts_status rts_port_supports(rts_service service)
{
    switch (service) {
    case RTS_SERVICE_THREADS:
    case RTS_SERVICE_THREAD_SUSPEND_SELF:
    case RTS_SERVICE_SEMAPHORE:
    case RTS_SERVICE_PING_SEMAPHORE:
    case RTS_SERVICE_MUTEX:
    case RTS_SERVICE_MUTEX_INHERIT:
    case RTS_SERVICE_QUEUE:
    case RTS_SERVICE_BLOCKS:
    case RTS_SERVICE_TIMER:
        return RTS_OK;
    case RTS_SERVICE_PROGRAMS:
        return rts_place_programs();
    case RTS_SERVICE_TRAFFIC:
        return rts_place_traffic();
    case RTS_SERVICE_CPU_TIME:
        return rts_place_cpu_ns() != 0 ? RTS_OK : RTS_UNSUPPORTED;
    default:
        return RTS_UNSUPPORTED;
    }
}

const char *rts_port_substitute(rts_service service)
{
    switch (service) {
    case RTS_SERVICE_SEMAPHORE:
        return "libCom has binary events, no counting semaphore: epicsEvent is taken and given, with a counter beside it "
               "where more than one can be held";
    case RTS_SERVICE_PING_SEMAPHORE:
        return "one event does not ping: a give leaves the CPU with the giver, which takes it again; two are used, as the "
               "paper did for VxWorks";
    case RTS_SERVICE_MUTEX_INHERIT:
        return "epicsMutex is recursive, and inherits priority wherever the system lets it";
    case RTS_SERVICE_BLOCKS:
        return "libCom's free list stands in for a partition: blocks of one size, with a lock, from a list that could "
               "grow";
    case RTS_SERVICE_TIMER:
        return "epicsTimer: the threads of two queues, above all others, stand in for the handler alternately";
    default:
        return NULL;
    }
}

const char *rts_port_why_not(rts_service service)
{
    switch (service) {
    case RTS_SERVICE_THREAD_SUSPEND:
        return "libCom lets a thread suspend itself, not another one";
    case RTS_SERVICE_SWITCH_COUNT:
        return "a task that libCom wakes often waits once more, for the event's own mutex, so that its voluntary switches "
               "are no count of its turns";
    case RTS_SERVICE_YIELD:
        return "libCom has no yield";
    case RTS_SERVICE_QUEUE_URGENT:
        return "epicsMessageQueue has no send to the head";
    case RTS_SERVICE_PROCESSES:
    case RTS_SERVICE_PROCESS_SUSPEND:
        return "libCom's threads share one address space";
    case RTS_SERVICE_TIME_SHARING:
        return "libCom has one class of threads";
    default:
        return "libCom has no such service";
    }
}
