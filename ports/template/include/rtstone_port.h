/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the engine sees of this port: its objects, its sizes and its inline clock readings. Copy the folder and begin here.
 */
#ifndef RTSTONE_TEMPLATE_PORT_H
#define RTSTONE_TEMPLATE_PORT_H

#include "rtstone/types.h"

/* [required] The name that records and `--port` give; the folder's name. */
#define RTS_PORT_NAME "template"

/*
 * [required] Sizes. These are a small board's; one series of the histogram takes
 *   (MAX_BITS - SUB_BITS + 2) * 2^(SUB_BITS - 1) + (NEGATIVE_BITS - SUB_BITS + 2) * 2^(SUB_BITS - 1)
 * counts of RTS_PORT_COUNT_TYPE: here (24 + 11) * 64 * 4 bytes = 9 kB, four times.
 */
#define RTS_PORT_SUB_BITS 7  /* a value is known to 2^-6 of itself */
#define RTS_PORT_MAX_BITS 29 /* in ticks: at 100 MHz 5 s; more is counted as overflow, and kept exactly as extreme */
#define RTS_PORT_NEGATIVE_BITS 16 /* timers that anticipate */
#define RTS_PORT_COUNT_TYPE uint32_t
#define RTS_PORT_STATE_BYTES 2048 /* a measurement's own objects; the engine does not build when one is larger */
#define RTS_PORT_EXTREMES 8
#define RTS_PORT_WINDOWS 64
#define RTS_PORT_ITEMS 32

/*
 * [required] Objects are complete types, made by the measurement and filled by create: put the kernel's control block
 * in, statically allocated where the kernel can (FreeRTOS: StaticTask_t and the stack), so that nothing is allocated after start.
 */
struct rts_thread {
    void (*entry)(void *);
    void *arg;
};

/* [required] */
struct rts_semaphore {
    uint32_t count;
};

/* [optional] An optional object is a complete type all the same. */
struct rts_mutex {
    uint32_t unused;
};

/* [optional] */
struct rts_queue {
    uint32_t unused;
};

/* [optional] */
struct rts_blocks {
    uint32_t unused;
};

/*
 * [required] The run's clock. Three things make or break a port:
 *  - order: no instruction of the measured operation may run before the first or after the second reading. A plain
 *    volatile read does not see to that on a CPU that reorders: x86-64 wants rdtscp + lfence, Armv8-A isb + mrs + isb; a Cortex-M
 *    reads a memory-mapped counter in order (device memory), with a "memory" clobber or volatile for the compiler;
 *  - 64 bits: extend a narrower counter by its overflow interrupt, or by reading it often enough, never by hope;
 *  - speed: it is inline because a call would be part of every measured time.
 */
static inline rts_ticks rts_clock_read(void)
{
    return 0;
}

/* [required] The clock on which the measured interrupt is timed; the same as above where it is the same clock. */
static inline rts_ticks rts_timer_clock_read(void)
{
    return rts_clock_read();
}

#ifdef RTS_PORT_TIMER_VECTOR
/* [optional] Only where the clock is read at the vector too: the reading of the interrupt whose isr is being called. */
static inline rts_ticks rts_port_timer_vector(void)
{
    return 0;
}
#endif

#endif
