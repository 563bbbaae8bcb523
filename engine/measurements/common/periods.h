/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The account of the measured interrupt's periods, between its handler, which admits them, and the task, which takes them. No period is skipped.
 *
 * The functions of the handler and of the woken task are inlined: they lie between the stamps.
 */
#ifndef RTSTONE_MEASUREMENTS_PERIODS_H
#define RTSTONE_MEASUREMENTS_PERIODS_H

#include <stdatomic.h>

#include "rtstone/measurement.h"

/** Periods after the last measured one, in which the task should have run. */
#define RTS_PERIODS_PATIENCE 1000u

/** A quota that is never reached. */
#define RTS_PERIODS_ENDLESS UINT32_MAX

typedef struct rts_periods {
    uint32_t quota;         /**< interrupts of this slice; later ones, until the timer stands still, are not its */
    uint32_t taken;         /**< periods that became samples */
    uint32_t surplus;       /**< the handler's: periods after the quota with the task still behind */
    _Atomic bool stuck;     /**< the task waited in vain */
    _Atomic uint32_t in;    /**< written by the handler */
    _Atomic uint32_t ready; /**< written by the code that releases the task, if that is not the handler */
    _Atomic uint32_t out;   /**< written by the task */
    _Atomic uint32_t lost;
} rts_periods;

/** Before the timer starts: begins a slice of `quota` periods. */
static inline void rts_periods_begin(rts_periods *own, uint32_t quota)
{
    own->quota = quota;
    own->taken = 0;
    own->surplus = 0;
    atomic_store(&own->in, 0);
    atomic_store(&own->ready, 0);
    atomic_store(&own->out, 0);
    atomic_store(&own->lost, 0);
    atomic_store(&own->stuck, false);
}

/** After the timer's end: checks that every period was taken and none was lost; reports rests of the instrument that are among the latencies. */
static inline void rts_periods_check(const rts_periods *own, rts_run *run)
{
    rts_run_check(run, "periods", own->taken, own->quota, own->quota);
    rts_run_check(run, "periods-lost", atomic_load(&own->lost), 0, 0);
#ifdef RTS_PORT_TIMER_RESTS
    uint32_t rest_us = 0;
    const uint64_t rests = rts_port_timer_rests(&rest_us);
    if (rests != 0u && !rts_run_warming(run)) {
        rts_run_figure(run, "handler-rests", "rests", rests);
        rts_run_figure(run, "handler-rest-time", "us", rests * rest_us);
        rts_run_remark(
            run, "the thread that stands in for the handler could not keep up with this period and rested, so that "
                 "others could run: these rests (figures handler-rests and handler-rest-time) are in the latencies");
    }
#endif
}

/** Whether the task still has periods to take, of `count` in the slice. */
static inline bool rts_periods_go_on(const rts_periods *own, uint32_t count)
{
    return count == RTS_PERIODS_ENDLESS || own->taken + atomic_load_explicit(&own->lost, memory_order_acquire) < count;
}

/** In the handler: releases the waiting thread. If the release fails, the session ends, since no one would learn of the interrupt. */
static inline void rts_periods_release(struct rts_semaphore *semaphore)
{
    if (rts_port_semaphore_give_isr(semaphore) != RTS_OK) {
        rts_port_fatal("the measured interrupt's handler cannot release its semaphore");
    }
}

/**
 * In the handler: accepts the interrupt if it is a period of the slice and the ring has a free slot; the task may be `room` periods behind. Stores
 * its number `in`; the handler then stamps it and stores in + 1. A period without a slot is lost, and the item invalid. Interrupts after the last
 * period are not measured. But if the kernel lost a release, the task waits for ever: after many such interrupts it is woken, to report that.
 */
static inline bool rts_periods_admit(rts_periods *own, uint32_t room, struct rts_semaphore *to_task, uint32_t *number)
{
    const uint32_t in = atomic_load_explicit(&own->in, memory_order_relaxed);
    const uint32_t lost = atomic_load_explicit(&own->lost, memory_order_relaxed);
    if (own->quota != RTS_PERIODS_ENDLESS && in + lost == own->quota) {
        if (atomic_load_explicit(&own->out, memory_order_acquire) != in && ++own->surplus == RTS_PERIODS_PATIENCE) {
            atomic_store_explicit(&own->stuck, true, memory_order_release);
            rts_periods_release(to_task);
        }
        return false;
    }
    if (in - atomic_load_explicit(&own->out, memory_order_acquire) == room) {
        atomic_store_explicit(&own->lost, lost + 1u, memory_order_release);
        return false;
    }
    *number = in;
    return true;
}

/**
 * In the woken task, after its stamp: the number of the period that it was woken for; `released` counts those that it may take. RTS_BROKEN: no
 * interrupt woke it, or it waited in vain.
 */
static inline rts_status rts_periods_woken(const rts_periods *own, rts_status woken, const _Atomic uint32_t *released,
                                           uint32_t *number)
{
    if (woken != RTS_OK || atomic_load_explicit(&own->stuck, memory_order_acquire)) {
        return woken != RTS_OK ? woken : RTS_BROKEN;
    }
    *number = atomic_load_explicit(&own->out, memory_order_relaxed);
    return *number == atomic_load_explicit(released, memory_order_acquire) ? RTS_BROKEN : RTS_OK;
}

/** The task has copied the stamps of its period. */
static inline void rts_periods_take(rts_periods *own, uint32_t number)
{
    atomic_store_explicit(&own->out, number + 1u, memory_order_release);
    own->taken++;
}

#endif
