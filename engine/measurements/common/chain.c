/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One interrupt on its whole way: the engine's own handler and a thread in the place of a bottom half, or the kernel's.
 */
#include "chain.h"

static void isr(void *arg, rts_ticks asserted, rts_ticks entered)
{
    rts_chain *own = arg;
    uint32_t in = 0;
    if (!rts_periods_admit(&own->periods, RTS_CHAIN_RING, &own->to_task, &in)) {
        return;
    }
    rts_timer_stamps *const now = &own->ring[in % RTS_CHAIN_RING];
    now->asserted = asserted;
    now->entered = entered;
    if (own->direct) {
        now->released = own->spec.timer.unstamped ? 0u : rts_timer_clock_read();
        atomic_store_explicit(&own->periods.ready, in + 1u, memory_order_release);
    }
    atomic_store_explicit(&own->periods.in, in + 1u, memory_order_release);
    rts_periods_release(own->direct ? &own->to_task : &own->to_bottom);
}

/** The thread in the place of a bottom half: one interrupt each time that it is woken. */
static void bottom_main(void *arg)
{
    rts_chain *own = arg;
    const bool stamped = !own->spec.timer.unstamped;
    for (;;) {
        const rts_status status = rts_port_semaphore_take(&own->to_bottom);
        const rts_ticks begun = stamped ? rts_timer_clock_read() : 0u;
        if (atomic_load_explicit(&own->ending, memory_order_acquire)) {
            return;
        }
        const uint32_t ready = atomic_load_explicit(&own->periods.ready, memory_order_relaxed);
        if (status != RTS_OK || ready == atomic_load_explicit(&own->periods.in, memory_order_acquire)) {
            rts_port_fatal("the bottom half was woken by no interrupt");
        }
        rts_timer_stamps *const now = &own->ring[ready % RTS_CHAIN_RING];
        now->deferred = begun;
        atomic_store_explicit(&own->periods.ready, ready + 1u, memory_order_release);
        now->released = stamped ? rts_timer_clock_read() : 0u;
        if (rts_port_semaphore_give(&own->to_task) != RTS_OK) {
            rts_port_fatal("the bottom half cannot release its semaphore");
        }
    }
}

static rts_timer_answer answer(const char *source)
{
#ifdef RTS_PORT_TIMER_WAITS
    return rts_port_timer_answer(source);
#else
    (void)source;
    return RTS_TIMER_ENGINE;
#endif
}

rts_status rts_chain_open(rts_chain *own, const rts_chain_spec *spec)
{
    rts_clock_info clock;
    rts_clock_info timer;
    own->made = 0;
    own->spec = *spec;
    atomic_store(&own->ending, false);
    if (rts_port_clock_info(&clock) != RTS_OK || rts_port_timer_clock_info(&timer) != RTS_OK) {
        return RTS_BROKEN;
    }
    own->gap = rts_chain_rescaled(spec->timer.period, clock.hz, timer.hz);
    const rts_timer_answer answered = answer(spec->timer.source);
    own->in_kernel = answered != RTS_TIMER_ENGINE;
    own->by_software = answered == RTS_TIMER_KERNEL_RAISED;
    own->direct = spec->timer.path == RTS_TIMER_DIRECT || rts_port_supports(RTS_SERVICE_THREADS) == RTS_UNSUPPORTED;
    if (own->in_kernel) {
        return RTS_OK;
    }
    if (spec->timer.path == RTS_TIMER_SIGNALLED) {
        return RTS_UNSUPPORTED; /* only a kernel's bottom half sends a signal */
    }
    struct rts_semaphore *const semaphores[] = {&own->to_task, &own->to_bottom};
    rts_status status = RTS_OK;
    while (own->made < 2u && status == RTS_OK) {
        status = rts_port_semaphore_create(semaphores[own->made], 0, RTS_CHAIN_RING + 1u);
        own->made += status == RTS_OK ? 1u : 0u;
    }
    if (status == RTS_OK && !own->direct) {
        status = rts_port_thread_create(&own->bottom, &spec->bottom, bottom_main, own);
        own->made += status == RTS_OK ? 1u : 0u;
    }
    return status;
}

rts_status rts_chain_start(rts_chain *own, uint32_t wanted)
{
    rts_periods_begin(&own->periods, wanted);
    const rts_status status = rts_port_timer_start(&own->spec.timer, isr, own);
    own->next = own->by_software ? rts_clock_read() : 0u;
    return status;
}

#ifdef RTS_PORT_TIMER_WAITS
static rts_status wait_for_kernel(rts_chain *own, rts_timer_stamps *stamps)
{
    rts_status status = RTS_OK;
    if (own->by_software) {
        own->next += own->gap;
        status = rts_port_sleep_until(own->next);
        status = status == RTS_OK ? rts_port_timer_raise() : status;
    }
    status = status == RTS_OK ? rts_port_timer_wait(stamps) : status;
    if (status == RTS_OK) {
        own->periods.taken++;
        atomic_store_explicit(&own->periods.lost, (uint32_t)stamps->lost, memory_order_relaxed);
    }
    return status;
}
#endif

rts_status rts_chain_wait(rts_chain *own, rts_timer_stamps *stamps)
{
#ifdef RTS_PORT_TIMER_WAITS
    if (own->in_kernel) {
        return wait_for_kernel(own, stamps);
    }
#endif
    const rts_status woken = rts_port_semaphore_take(&own->to_task);
    const rts_ticks resumed = rts_timer_clock_read();
    uint32_t out = 0;
    const rts_status status = rts_periods_woken(&own->periods, woken, &own->periods.ready, &out);
    if (status != RTS_OK) {
        return status;
    }
    *stamps = own->ring[out % RTS_CHAIN_RING];
    stamps->resumed = resumed;
    stamps->lost = rts_chain_lost(own);
    rts_periods_take(&own->periods, out);
    return RTS_OK;
}

uint64_t rts_chain_lost(const rts_chain *own)
{
    return atomic_load_explicit(&own->periods.lost, memory_order_acquire);
}

bool rts_chain_goes_on(const rts_chain *own)
{
    return rts_periods_go_on(&own->periods, own->periods.quota);
}

rts_status rts_chain_stop(rts_chain *own)
{
    (void)own;
    return rts_port_timer_stop();
}

void rts_chain_close(rts_chain *own)
{
    if (own->made > 2u) {
        atomic_store_explicit(&own->ending, true, memory_order_release);
        if (rts_port_semaphore_give(&own->to_bottom) != RTS_OK || rts_port_thread_join(&own->bottom) != RTS_OK) {
            rts_port_fatal("the bottom half cannot be ended");
        }
    }
    if (own->made > 1u) {
        rts_port_semaphore_destroy(&own->to_bottom);
    }
    if (own->made > 0u) {
        rts_port_semaphore_destroy(&own->to_task);
    }
    own->made = 0;
}
