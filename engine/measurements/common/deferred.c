/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The measured interrupt by way of a bottom half, APS 2005: handler, bottom half, waiting task.
 */
#include "deferred.h"

#include "periods.h"
#include "rtstone/text.h"
#include "state.h"
#include "worker.h"

/* Interrupts that the task may be behind: a power of two. One that finds no room is lost, and the item invalid. */
#if RTS_PORT_STATE_BYTES >= 16384
#define RING 256u
#elif RTS_PORT_STATE_BYTES >= 4096
#define RING 64u
#else
#define RING 16u
#endif

/** What was seen of one period; all readings are of the timer's clock. */
typedef struct period {
    rts_ticks asserted;
    rts_ticks entered;
    rts_ticks deferred;
    rts_ticks released;
} period;

typedef struct state {
    rts_deferred_of of;
    rts_worker worker;
    struct rts_thread bottom;
    struct rts_semaphore to_bottom;
    struct rts_semaphore to_task;
    uint32_t made;  /**< how many of the two semaphores and the bottom half there are */
    bool polled;    /**< the port has one thread, this one, whose wait is a loop: no bottom half */
    bool in_kernel; /**< handler and bottom half are the kernel's */
    rts_periods periods;
    rts_ticks gap;       /**< from one interrupt by software to the next, of the run's clock */
    _Atomic bool ending; /**< the bottom half is to end */
    period ring[RING];
} state;

RTS_STATE_FITS(state);

static void isr(void *arg, rts_ticks asserted, rts_ticks entered)
{
    state *own = arg;
    uint32_t in = 0;
    if (!rts_periods_admit(&own->periods, RING, &own->to_task, &in)) {
        return;
    }
    period *const now = &own->ring[in % RING];
    now->asserted = asserted;
    now->entered = entered;
    atomic_store_explicit(&own->periods.in, in + 1u, memory_order_release);
    if (own->polled) {
        now->released = rts_timer_clock_read();
        atomic_store_explicit(&own->periods.ready, in + 1u, memory_order_release);
    }
    rts_periods_release(own->polled ? &own->to_task : &own->to_bottom);
}

/** The thread in the place of a bottom half: one interrupt each time that it is woken. */
static void bottom_main(void *arg)
{
    state *own = arg;
    const bool stamped = own->of != RTS_DEFERRED_TOTAL;
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
        period *const now = &own->ring[ready % RING];
        now->deferred = begun;
        atomic_store_explicit(&own->periods.ready, ready + 1u, memory_order_release);
        now->released = stamped ? rts_timer_clock_read() : 0u;
        if (rts_port_semaphore_give(&own->to_task) != RTS_OK) {
            rts_port_fatal("the bottom half cannot release its semaphore");
        }
    }
}

static void record(rts_run *run, rts_deferred_of of, const period *now, rts_ticks resumed)
{
    switch (of) {
    case RTS_DEFERRED_TOP_HALF:
        rts_run_sample(run, 0, (rts_latency)(now->entered - now->asserted), now->entered);
        break;
    case RTS_DEFERRED_BOTTOM_HALF:
        rts_run_sample(run, 0, (rts_latency)(now->deferred - now->entered), now->deferred);
        rts_run_sample(run, 1, (rts_latency)(resumed - now->released), resumed);
        break;
    case RTS_DEFERRED_TOTAL:
    default:
        rts_run_sample(run, 0, (rts_latency)(resumed - now->asserted), resumed);
        break;
    }
}

static rts_status take_period(rts_run *run, state *own)
{
    const rts_status woken = rts_port_semaphore_take(&own->to_task);
    const rts_ticks resumed = rts_timer_clock_read();
    uint32_t out = 0;
    const rts_status status = rts_periods_woken(&own->periods, woken, &own->periods.ready, &out);
    if (status != RTS_OK) {
        return status;
    }
    const period now = own->ring[out % RING];
    rts_periods_take(&own->periods, out);
    record(run, own->of, &now, resumed);
    return RTS_OK;
}

#ifdef RTS_PORT_TIMER_WAITS
/** The same, where handler and bottom half are the kernel's. */
static rts_status take_kernel_periods(rts_run *run, state *own, uint32_t count, bool by_software)
{
    uint64_t lost = 0;
    rts_status status = RTS_OK;
    for (rts_ticks next = rts_clock_read(); own->periods.taken + lost < count && status == RTS_OK;) {
        rts_timer_stamps stamps;
        if (by_software) {
            next += own->gap;
            status = rts_port_sleep_until(next);
            status = status == RTS_OK ? rts_port_timer_raise() : status;
        }
        status = status == RTS_OK ? rts_port_timer_wait(&stamps) : status;
        const rts_ticks resumed = rts_timer_clock_read();
        if (status == RTS_OK) {
            const period now = {stamps.asserted, stamps.entered, stamps.deferred, stamps.released};
            lost = stamps.lost;
            own->periods.taken++;
            record(run, own->of, &now, resumed);
        }
    }
    atomic_store(&own->periods.lost, (uint32_t)lost);
    return status;
}
#endif

static rts_status work(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)total;
    state *own = rts_run_state(run);
    rts_timer_spec spec = rts_run_timer(run);
    spec.path = RTS_TIMER_DEFERRED;
    spec.unstamped = own->of == RTS_DEFERRED_TOTAL;
    rts_status status = rts_port_timer_start(&spec, isr, own);
    if (status != RTS_OK) {
        return status;
    }
#ifdef RTS_PORT_TIMER_WAITS
    if (own->in_kernel) {
        status = take_kernel_periods(run, own, count, rts_port_timer_by_software(spec.source));
        return rts_first_failure(status, rts_port_timer_stop());
    }
#endif
    while (status == RTS_OK && rts_periods_go_on(&own->periods, count)) {
        status = take_period(run, own);
    }
    return rts_first_failure(status, rts_port_timer_stop());
}

static bool in_kernel(const char *source)
{
#ifdef RTS_PORT_TIMER_WAITS
    return rts_port_timer_in_kernel(source);
#else
    (void)source;
    return false;
#endif
}

rts_status rts_deferred_source(rts_run *run)
{
    static const char *const of_a_kernel[] = {"probe",    "tasklet",          "workqueue",
                                              "software", "software-tasklet", "software-workqueue"};
    const char *const source = rts_run_timer(run).source;
    if (in_kernel(source)) {
        return RTS_OK;
    }
    for (size_t i = 0; i < sizeof of_a_kernel / sizeof of_a_kernel[0]; i++) {
        if (rts_text_equal(source, of_a_kernel[i])) {
            rts_run_why(
                run,
                "no kernel module answers the interrupt here, and only that has this source: on Linux build and load "
                "probe/ (probe/README.md says how)");
            return RTS_UNSUPPORTED;
        }
    }
    return RTS_OK;
}

static rts_status make_bottom(rts_run *run, state *own)
{
    const rts_thread_attr attr = rts_run_thread(run, "bottom", RTS_PRIORITY_TOP);
    const rts_status status = rts_port_thread_create(&own->bottom, &attr, bottom_main, own);
    own->made += status == RTS_OK ? 1u : 0u;
    return status;
}

rts_status rts_deferred_setup(rts_run *run, rts_deferred_of of)
{
    state *own = rts_run_state(run);
    rts_clock_info clock;
    rts_clock_info timer;
    own->of = of;
    rts_status status = rts_deferred_source(run);
    if (status == RTS_OK && (rts_port_clock_info(&clock) != RTS_OK || rts_port_timer_clock_info(&timer) != RTS_OK)) {
        status = RTS_BROKEN;
    }
    if (status != RTS_OK) {
        return status;
    }
    const rts_timer_spec spec = rts_run_timer(run);
    own->gap = spec.period * clock.hz / timer.hz;
    own->in_kernel = in_kernel(spec.source);
    own->polled = rts_port_supports(RTS_SERVICE_THREADS) == RTS_UNSUPPORTED;
    struct rts_semaphore *const semaphores[] = {&own->to_task, &own->to_bottom};
    while (own->made < 2u && status == RTS_OK) {
        status = rts_port_semaphore_create(semaphores[own->made], 0, RING + 1u);
        own->made += status == RTS_OK ? 1u : 0u;
    }
    if (status != RTS_OK || own->polled) {
        return status;
    }
    if (!own->in_kernel) {
        status = make_bottom(run, own);
    }
    return status == RTS_OK ? rts_worker_create(&own->worker, run, RTS_PRIORITY_HIGH) : status;
}

rts_status rts_deferred_single(rts_run *run, uint32_t samples)
{
    state *own = rts_run_state(run);
    rts_periods_begin(&own->periods, samples);
    const rts_status status = own->polled ? work(run, samples, NULL) : rts_worker_do(&own->worker, work, samples, NULL);
    if (status != RTS_OK) {
        return status;
    }
    rts_periods_check(&own->periods, run);
    return RTS_OK;
}

void rts_deferred_teardown(rts_run *run)
{
    state *own = rts_run_state(run);
    rts_worker_destroy(&own->worker);
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
