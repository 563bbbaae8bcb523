/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the engine sees of EPICS's OS interface, libCom: its objects, its sizes and its one clock.
 */
#ifndef RTSTONE_EPICS_PORT_H
#define RTSTONE_EPICS_PORT_H

#include <stdatomic.h>

#include <epicsEvent.h>
#include <epicsMessageQueue.h>
#include <epicsMutex.h>
#include <epicsThread.h>
#include <epicsTime.h>

#include "rtstone/types.h"

#define RTS_PORT_NAME "epics"
#define RTS_PORT_SUB_BITS 11 /* error at most 2^-10, 0.1 % */
#define RTS_PORT_MAX_BITS 38 /* 275 s in nanoseconds */
#define RTS_PORT_NEGATIVE_BITS 24
#define RTS_PORT_COUNT_TYPE uint64_t
#define RTS_PORT_STATE_BYTES 16384
#define RTS_PORT_SERIES 8u /* interrupt-split */
#define RTS_PORT_LOAD_STATE_BYTES 8192u
#define RTS_PORT_EXTREMES 20
#define RTS_PORT_WINDOWS 512
#define RTS_PORT_TIMER_RESTS /* a thread that stands in for the handler has to, where it cannot keep up */
#define RTS_PORT_ITEMS 512
#define RTS_PORT_LOADS_AT_ONCE 4
#ifdef RTS_LINUX
#define RTS_PORT_WATCHES /* the system counts much (linux/watch.c) */
#endif
#define RTS_PORT_DELETION "the ended thread's stack is given back by its join, outside of the window"

struct rts_thread {
    epicsThreadId id;
    int32_t cpu;
    long process;  /**< a load's program, in an address space of its own; 0: a thread */
    bool ordinary; /**< a load: below all that is measured */
    void (*entry)(void *);
    void *arg;
    _Atomic uint64_t cpu_ns; /**< CPU time, noted when it ends; 0 while it runs */
};

/** libCom has binary events only. For a maximum above one, the port adds a counter to the event. */
struct rts_semaphore {
    epicsEventId event;
    uint32_t maximum;
    _Atomic uint32_t count;
};

struct rts_mutex {
    epicsMutexId mutex;
};

struct rts_queue {
    epicsMessageQueueId queue;
    uint32_t message_bytes;
};

struct rts_blocks {
    void *list;
    uint32_t left;
};

/** libCom's monotonic clock, in nanoseconds. It is a call into another library, so the compiler moves nothing over it; the fences hold the CPU. */
static inline rts_ticks rts_clock_read(void)
{
#if defined(__x86_64__)
    __asm__ volatile("lfence" : : : "memory");
    const rts_ticks now = epicsMonotonicGet();
    __asm__ volatile("lfence" : : : "memory");
#elif defined(__aarch64__)
    __asm__ volatile("isb" : : : "memory");
    const rts_ticks now = epicsMonotonicGet();
    __asm__ volatile("isb" : : : "memory");
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    const rts_ticks now = epicsMonotonicGet();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
    return now;
}

/** The measured interrupt is a timer of libCom's, which is due on the same clock. */
static inline rts_ticks rts_timer_clock_read(void)
{
    return epicsMonotonicGet();
}

#endif
