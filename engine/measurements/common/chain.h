/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One interrupt on its whole way: handler, bottom half, user-level interrupt service routine, waiting task. Every stage and the total are of the same
 * interrupt, as in the paper of Xu and Kraimer (2005), and add up.
 *
 * It needs only a port and not the engine, so that an IOC's sampler can link it too. The order of calls: open; then start, wait … wait, stop by the
 * task that waits; then close.
 */
#ifndef RTSTONE_MEASUREMENTS_CHAIN_H
#define RTSTONE_MEASUREMENTS_CHAIN_H

#include "periods.h"

/* Interrupts that the task may be behind: a power of two. An interrupt without room is lost. */
#if RTS_PORT_STATE_BYTES >= 16384
#define RTS_CHAIN_RING 256u
#elif RTS_PORT_STATE_BYTES >= 4096
#define RTS_CHAIN_RING 64u
#else
#define RTS_CHAIN_RING 16u
#endif

/** The settings of the interrupt and of its way. */
typedef struct rts_chain_spec {
    rts_timer_spec timer; /**< `path`: without, or by way of a bottom half, or of a user-level routine */
    rts_thread_attr
        bottom; /**< of the thread that is the bottom half where the handler is the engine's own; above the waiting task */
} rts_chain_spec;

/** Duration of the stages, in ticks of the timer's clock. `service` + `to_bottom` + `to_routine` + `residual` + `switching` = `total`, always. */
typedef struct rts_chain_delays {
    rts_latency service;    /**< assertion to handler */
    rts_latency to_bottom;  /**< handler to bottom half; 0 without a bottom half (`has_bottom` is false) */
    rts_latency to_routine; /**< bottom half to user-level routine; 0 without a routine (`has_routine` is false) */
    rts_latency residual;   /**< from the last of them to the release: the part that no stage of the paper covers */
    rts_latency switching;  /**< release to task: the context switch */
    rts_latency total;      /**< assertion to task */
    bool has_bottom;
    bool has_routine;
} rts_chain_delays;

typedef struct rts_chain {
    rts_chain_spec spec;
    struct rts_thread bottom;
    struct rts_semaphore to_bottom;
    struct rts_semaphore to_task;
    uint32_t made;       /**< how many of the two semaphores and the bottom half there are */
    bool in_kernel;      /**< handler and bottom half are the kernel's */
    bool direct;         /**< the handler releases the task itself */
    bool by_software;    /**< the task raises each interrupt, a period after the last */
    rts_ticks gap;       /**< that period, of the run's clock */
    rts_ticks next;      /**< when it is to raise the next */
    _Atomic bool ending; /**< the bottom half is to end */
    rts_periods periods;
    rts_timer_stamps ring[RTS_CHAIN_RING];
} rts_chain;

/** Creates the objects of the way. RTS_UNSUPPORTED: this port, or this source, has no such way. Call rts_chain_close also after a failure. */
rts_status rts_chain_open(rts_chain *own, const rts_chain_spec *spec);

/** Starts the interrupts, `count` of them (RTS_PERIODS_ENDLESS: until the stop). The task that will wait calls it. */
rts_status rts_chain_start(rts_chain *own, uint32_t wanted);

/** Waits for the next interrupt and hands over all its readings. RTS_BROKEN: no interrupt woke the task. */
rts_status rts_chain_wait(rts_chain *own, rts_timer_stamps *stamps);

/** Interrupts since the start without room; they are no samples. */
uint64_t rts_chain_lost(const rts_chain *own);

/** True while fewer interrupts than requested have been handed over or lost. */
bool rts_chain_goes_on(const rts_chain *own);

/** Ends the interrupts. RTS_BROKEN: the samples since the start are wrong, since the kernel merged signals. */
rts_status rts_chain_stop(rts_chain *own);

/** Frees the objects that open created. */
void rts_chain_close(rts_chain *own);

/** The stages of an interrupt that was stamped on its way. For an unstamped interrupt only `total` is valid. */
static inline rts_chain_delays rts_chain_split(const rts_timer_stamps *stamps)
{
    const bool has_bottom = stamps->deferred != 0u;
    const bool has_routine = stamps->routine != 0u;
    const rts_ticks bottom = has_bottom ? stamps->deferred : stamps->entered;
    const rts_ticks last = has_routine ? stamps->routine : bottom;
    const rts_chain_delays delays = {
        .service = (rts_latency)(stamps->entered - stamps->asserted),
        .to_bottom = (rts_latency)(bottom - stamps->entered),
        .to_routine = (rts_latency)(last - bottom),
        .residual = (rts_latency)(stamps->released - last),
        .switching = (rts_latency)(stamps->resumed - stamps->released),
        .total = (rts_latency)(stamps->resumed - stamps->asserted),
        .has_bottom = has_bottom,
        .has_routine = has_routine,
    };
    return delays;
}

/** Ticks of one clock as ticks of another, both of less than 2^34 Hz: rounded down, and no product overflows. */
static inline rts_ticks rts_chain_rescaled(rts_ticks ticks, uint64_t to_hz, uint64_t from_hz)
{
    const uint64_t rest = ticks % from_hz;
    const uint64_t high = rest * (to_hz >> 17);
    const uint64_t low = rest * (to_hz & 0x1ffffu) + ((high % from_hz) << 17);
    return ticks / from_hz * to_hz + ((high / from_hz) << 17) + low / from_hz;
}

#endif
