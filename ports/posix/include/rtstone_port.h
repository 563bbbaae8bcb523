/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the engine sees of the POSIX port: its objects, its sizes and its two inline clock readings.
 */
#ifndef RTSTONE_POSIX_PORT_H
#define RTSTONE_POSIX_PORT_H

#if !defined(_POSIX_C_SOURCE) || _POSIX_C_SOURCE < 200809L
#error "compile the engine for this port with -D_POSIX_C_SOURCE=200809L (port.cmake does)"
#endif

#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/types.h>
#include <time.h>

#include "rtstone/types.h"

#define RTS_PORT_NAME "posix"
#define RTS_PORT_SUB_BITS 11 /* error at most 2^-10, 0.1 % */
#define RTS_PORT_MAX_BITS 38 /* 91 s at 3 GHz, 275 s in nanoseconds */
#define RTS_PORT_NEGATIVE_BITS 24
#define RTS_PORT_COUNT_TYPE uint64_t
#define RTS_PORT_STATE_BYTES 16384
#define RTS_PORT_SERIES 8u /* interrupt-split */
#define RTS_PORT_LOAD_STATE_BYTES 8192u
#define RTS_PORT_EXTREMES 20
#define RTS_PORT_WINDOWS 512
#define RTS_PORT_TIMER_RESTS /* a thread that stands in for the handler has to, where it cannot keep up */
#define RTS_PORT_ITEMS 512
#define RTS_PORT_EVENTS 16384 /* 1.5 MB: the trails of some thousand late samples (interrupt-split) */
#define RTS_PORT_LOADS_AT_ONCE 4
#define RTS_PORT_WATCHES /* the system counts much (linux/watch.c) */
#define RTS_PORT_GATES   /* an item may wait until the wire to its host is quiet */
#define RTS_PORT_SHARED_SEMAPHORES
#define RTS_PORT_DELETION "the ended thread's stack is given back by its join, outside of the window"
#define RTS_PORT_TIMER_WAITS /* a probe module may have the handler (system.h) */

/** A thread of the engine, or a process of its own. */
struct rts_thread {
    pthread_t handle;
    pid_t process; /**< 0: a thread */
    int32_t cpu;
    bool moves; /**< its CPU is not its maker's */
    void (*entry)(void *);
    void *arg;
    bool bound;      /**< a process that is bound to die with the engine */
    bool counted;    /**< its CPU time is noted when it ends */
    uint64_t cpu_ns; /**< so noted; 0 while it runs */
};

struct rts_semaphore {
    sem_t semaphore;
};

struct rts_mutex {
    pthread_mutex_t mutex;
};

struct rts_queue {
    mqd_t descriptor;
    uint32_t message_bytes;
    uint32_t urgent; /**< message priority of the foremost urgent message; 0: none waits */
    bool system_v;   /**< a System V queue, `identifier`, instead of `descriptor` */
    int identifier;
};

struct rts_blocks {
    uint32_t bytes;
    uint32_t left;
};

/** True when rts_clock_read may use the CPU's counter; set once by rts_posix_clock_init, before any thread. */
extern bool rts_posix_counter;

/** The run's clock where it is not the CPU's counter: CLOCK_MONOTONIC, unless the user chose another (clock.c). Set with rts_posix_counter. */
extern rts_ticks (*rts_posix_clock)(void);

/** CLOCK_MONOTONIC in nanoseconds. It cannot fail with these arguments. */
static inline rts_ticks rts_posix_monotonic(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (rts_ticks)now.tv_sec * 1000000000u + (rts_ticks)now.tv_nsec;
}

#if defined(__x86_64__)
#define RTS_POSIX_HAS_COUNTER 1
/*
 * RDTSCP waits until all earlier instructions have executed and all earlier loads have been seen; LFENCE holds later ones
 * back until it has read (Intel SDM vol. 2B, RDTSCP; on AMD LFENCE is dispatch-serialising, which Linux turns on). They order
 * instructions, "memory" orders the compiler. LFENCE, RDTSC, LFENCE says the same and takes longer than clock_gettime.
 */
static inline rts_ticks rts_posix_counter_read(void)
{
    uint32_t low;
    uint32_t high;
    uint32_t cpu;
    __asm__ volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high), "=c"(cpu) : : "memory");
    return (rts_ticks)high << 32 | low;
}
#define RTS_POSIX_FENCE() __asm__ volatile("lfence" : : : "memory")
#elif defined(__aarch64__)
#define RTS_POSIX_HAS_COUNTER 1
/* isb on both sides, for the same reason (Arm ARM D11.2.1: reads of the counter may be speculated and reordered). */
static inline rts_ticks rts_posix_counter_read(void)
{
    uint64_t value;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(value) : : "memory");
    return value;
}
#define RTS_POSIX_FENCE() __asm__ volatile("isb" : : : "memory")
#else
#define RTS_POSIX_HAS_COUNTER 0
static inline rts_ticks rts_posix_counter_read(void)
{
    return rts_posix_monotonic();
}
#define RTS_POSIX_FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

/* For the measurement of that counter as a clock. */
#define RTS_PORT_COUNTER_TRUSTED rts_posix_counter
#define RTS_PORT_COUNTER_READ() rts_posix_counter_read()

/** The run's clock: the CPU's counter where the kernel itself trusts it, else CLOCK_MONOTONIC; or the one that the user chose. */
static inline rts_ticks rts_clock_read(void)
{
    if (__builtin_expect(rts_posix_counter, 1)) {
        return rts_posix_counter_read();
    }
    RTS_POSIX_FENCE();
    const rts_ticks now = rts_posix_clock();
    RTS_POSIX_FENCE();
    return now;
}

/** True when the measured interrupt is due on the CPU's counter; set once by rts_posix_probe_init, before any thread. */
extern bool rts_posix_timer_counter;

/** The clock of the measured interrupt: CLOCK_MONOTONIC, on which its timers expire, or the clock of a probe module's source. */
static inline rts_ticks rts_timer_clock_read(void)
{
    if (__builtin_expect(rts_posix_timer_counter, 0)) {
        return rts_posix_counter_read();
    }
    return rts_posix_monotonic();
}

#endif
