/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which services POSIX has, what stands in for those that it lacks, and why not for the rest.
 */
#include "posix.h"

rts_status rts_port_supports(rts_service service)
{
    switch (service) {
    case RTS_SERVICE_THREAD_SUSPEND:
    case RTS_SERVICE_THREAD_SUSPEND_SELF:
        return RTS_UNSUPPORTED;
    case RTS_SERVICE_CACHE_FLUSH:
#if defined(__x86_64__) || defined(__aarch64__)
        return RTS_OK;
#else
        return RTS_UNSUPPORTED;
#endif
    case RTS_SERVICE_SWITCH_COUNT: {
        uint64_t ignored;
        return rts_port_switch_count(&ignored);
    }
    case RTS_SERVICE_TRAFFIC:
        return rts_system_traffic();
    case RTS_SERVICE_KERNEL_SPLIT:
        return rts_system_split();
    default:
        return (unsigned)service < RTS_SERVICE_COUNT ? RTS_OK : RTS_UNSUPPORTED;
    }
}

const char *rts_port_substitute(rts_service service)
{
    switch (service) {
    case RTS_SERVICE_PROCESS_SUSPEND:
        return "SIGSTOP and SIGCONT stand in for suspend and resume; they act on a process";
    case RTS_SERVICE_PING_SEMAPHORE:
        return "one POSIX semaphore does not ping: a give leaves the CPU with the giver, which takes it again; two are "
               "used, "
               "as the paper did for VxWorks";
    case RTS_SERVICE_QUEUE_URGENT:
        return "POSIX queues have no send to the head: rising message priorities stand in for it, last in first out";
    case RTS_SERVICE_BLOCKS:
        return "POSIX has no partition: malloc and free of the C library stand in for it, all memory touched "
               "beforehand";
    case RTS_SERVICE_TIMER:
        if (rts_posix_probe()) {
            return NULL; /* a handler in the kernel, as the papers have it */
        }
        return "the timer as user space sees it: a thread above all others, woken at an absolute time, stands in for "
               "the handler";
    case RTS_SERVICE_CACHE_FLUSH:
        return "only the engine's own memory is flushed; the kernel's data stay cached";
    case RTS_SERVICE_KERNEL_SPLIT:
        return "the kernel's own timer function is taken for the handler, its waking of the task for the release of a semaphore; "
               "tracepoints stamp both";
    case RTS_SERVICE_THREADS:
    case RTS_SERVICE_MUTEX_INHERIT:
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
    case RTS_SERVICE_CACHE_FLUSH:
        return "this CPU's caches cannot be flushed from user space, or this port does not know how";
    case RTS_SERVICE_KERNEL_SPLIT:
        return rts_system_split_why_not();
    case RTS_SERVICE_TRAFFIC:
        return "no device /dev/rtstone-traffic that may be opened: the module rtstone_probe makes it, given a serial line of its own (line=...)";
    default:
        return NULL;
    }
}
