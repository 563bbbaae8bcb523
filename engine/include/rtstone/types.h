/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Plain types that every part of the engine shares: status, ticks, scheduling attributes.
 */
#ifndef RTSTONE_TYPES_H
#define RTSTONE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A reading of a clock, or a difference of two readings of the same clock. */
typedef uint64_t rts_ticks;

/** A latency in ticks; negative when a timer anticipates. */
typedef int64_t rts_latency;

/** Outcome of every fallible call. Only RTS_OK means that the call did its work. */
typedef enum rts_status {
    RTS_OK = 0,
    RTS_UNSUPPORTED, /**< the kernel has no such service; becomes a `skip` and a `*` in the table */
    RTS_DENIED,      /**< the kernel has it but refuses it here (privilege, limit) */
    RTS_NO_MEMORY,   /**< a pool that was sized before start is used up */
    RTS_INVALID,     /**< an argument is out of range */
    RTS_BROKEN,      /**< the service gave a wrong answer: the measurement cannot be trusted */
    RTS_INTERRUPTED, /**< the user or the host asked for an end */
    RTS_FAILED       /**< any other error */
} rts_status;

/** Priorities as measurements name them; a port maps them to its own. A larger one is more urgent. */
typedef enum rts_priority {
    RTS_PRIORITY_LOAD = 0, /**< ordinary programs: below all measured threads */
    RTS_PRIORITY_LOW,
    RTS_PRIORITY_MIDDLE,
    RTS_PRIORITY_HIGH,
    RTS_PRIORITY_TOP, /**< the task that answers the measured interrupt */
    RTS_PRIORITY_COUNT
} rts_priority;

/** Scheduling class of a measured thread. */
typedef enum rts_sched {
    RTS_SCHED_RT = 0, /**< fixed priority, real-time class */
    RTS_SCHED_TS      /**< time-sharing class */
} rts_sched;

/** Address space of a thread: the engine's, or one of its own (a process). */
typedef enum rts_space { RTS_SPACE_SHARED = 0, RTS_SPACE_OWN } rts_space;

#define RTS_CPU_ANY (-1)

/** Attributes with which a thread is created. */
typedef struct rts_thread_attr {
    const char *name; /**< at most 15 characters */
    rts_priority priority;
    rts_sched sched;
    rts_space space;
    int32_t cpu; /**< CPU number, or RTS_CPU_ANY for the port's choice */
} rts_thread_attr;

/** Priority protocol of a mutex. */
typedef enum rts_protocol { RTS_PROTOCOL_NONE = 0, RTS_PROTOCOL_INHERIT } rts_protocol;

/** Services that a measurement may need. A port reports of each whether it has it, and names the substitute, if any. */
typedef enum rts_service {
    RTS_SERVICE_THREADS = 0,
    RTS_SERVICE_PROCESSES,
    RTS_SERVICE_THREAD_SUSPEND,      /**< a thread suspends another one */
    RTS_SERVICE_THREAD_SUSPEND_SELF, /**< a thread suspends itself, and another one resumes it */
    RTS_SERVICE_PROCESS_SUSPEND,
    RTS_SERVICE_YIELD,
    RTS_SERVICE_SEMAPHORE,
    RTS_SERVICE_PING_SEMAPHORE, /**< one semaphore that two tasks of one priority can ping through */
    RTS_SERVICE_MUTEX,
    RTS_SERVICE_MUTEX_INHERIT,
    RTS_SERVICE_QUEUE,
    RTS_SERVICE_QUEUE_URGENT, /**< a send to the head of a queue */
    RTS_SERVICE_BLOCKS,       /**< a partition of memory blocks */
    RTS_SERVICE_TIMER,        /**< the measured interrupt */
    RTS_SERVICE_TIME_SHARING,
    RTS_SERVICE_CACHE_FLUSH,
    RTS_SERVICE_SWITCH_COUNT,
    RTS_SERVICE_CPU_TIME,
    RTS_SERVICE_TRAFFIC,      /**< interrupts beside the measured one, for a load */
    RTS_SERVICE_KERNEL_SPLIT, /**< the kernel stamps the boundaries of a wake-up itself */
    RTS_SERVICE_PROGRAMS,     /**< processes of a load: ordinary ones, independent of the port's measured processes */
    RTS_SERVICE_COUNT
} rts_service;

#endif
