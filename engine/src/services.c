/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Names of the services, and which of a set the port lacks.
 */
#include "services.h"

static const char *const service_names[RTS_SERVICE_COUNT] = {
    [RTS_SERVICE_THREADS] = "threads",
    [RTS_SERVICE_PROCESSES] = "processes",
    [RTS_SERVICE_THREAD_SUSPEND] = "thread-suspend",
    [RTS_SERVICE_THREAD_SUSPEND_SELF] = "thread-suspend-self",
    [RTS_SERVICE_PROCESS_SUSPEND] = "process-suspend",
    [RTS_SERVICE_YIELD] = "yield",
    [RTS_SERVICE_SEMAPHORE] = "semaphore",
    [RTS_SERVICE_PING_SEMAPHORE] = "ping-semaphore",
    [RTS_SERVICE_MUTEX] = "mutex",
    [RTS_SERVICE_MUTEX_INHERIT] = "mutex-inherit",
    [RTS_SERVICE_QUEUE] = "queue",
    [RTS_SERVICE_QUEUE_URGENT] = "queue-urgent",
    [RTS_SERVICE_BLOCKS] = "blocks",
    [RTS_SERVICE_TIMER] = "timer",
    [RTS_SERVICE_TIME_SHARING] = "time-sharing",
    [RTS_SERVICE_CACHE_FLUSH] = "cache-flush",
    [RTS_SERVICE_SWITCH_COUNT] = "switch-count",
    [RTS_SERVICE_CPU_TIME] = "cpu-time",
    [RTS_SERVICE_TRAFFIC] = "traffic",
    [RTS_SERVICE_KERNEL_SPLIT] = "kernel-split",
    [RTS_SERVICE_PROGRAMS] = "programs",
};

const char *rts_service_name(rts_service service)
{
    return service_names[service];
}

rts_status rts_services_missing(uint32_t services, rts_service *missing)
{
    for (uint32_t i = 0; i < (uint32_t)RTS_SERVICE_COUNT; i++) {
        if ((services & (1u << i)) == 0u) {
            continue;
        }
        const rts_status status = rts_port_supports((rts_service)i);
        if (status != RTS_OK) {
            *missing = (rts_service)i;
            return status;
        }
    }
    return RTS_OK;
}
