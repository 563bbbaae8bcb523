/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SSCL Table 2 and SLAC Table 1: from the assertion of the measured interrupt to its handler, from there to the task that it wakes, and both together.
 */
#include "common/periods.h"
#include "common/state.h"
#include "common/worker.h"

/* Interrupts that the task may be behind: a power of two. One that finds no room is lost, and the item invalid. */
#if RTS_PORT_STATE_BYTES >= 16384
#define RING 512u
#elif RTS_PORT_STATE_BYTES >= 4096
#define RING 64u
#else
#define RING 16u
#endif

enum { SERVICE_RESPONSE, TASK_RESPONSE, SWITCH_DELAY, VECTOR_RESPONSE };

/* Where the port reads the clock at the vector too, that response is shown next to the handler's. */
#ifdef RTS_PORT_TIMER_VECTOR
#define VECTOR_SERIES , "interrupt-vector-response"
#else
#define VECTOR_SERIES
#endif

/** What the handler saw of one period; all readings are of the timer's clock. */
typedef struct period {
    rts_ticks asserted;
    rts_ticks entered;
    rts_ticks released;
#ifdef RTS_PORT_TIMER_VECTOR
    rts_ticks vector;
#endif
} period;

typedef struct state {
    rts_worker worker;
    struct rts_semaphore semaphore;
    bool made;
    bool polled; /**< the port has one thread, this one, whose wait for the semaphore is a loop */
    rts_periods periods;
    period ring[RING];
} state;

RTS_STATE_FITS(state);

static void isr(void *arg, rts_ticks asserted, rts_ticks entered)
{
    state *own = arg;
    uint32_t in = 0;
    if (!rts_periods_admit(&own->periods, RING, &own->semaphore, &in)) {
        return;
    }
    period *now = &own->ring[in % RING];
    now->asserted = asserted;
    now->entered = entered;
#ifdef RTS_PORT_TIMER_VECTOR
    now->vector = rts_port_timer_vector();
#endif
    now->released = rts_timer_clock_read();
    atomic_store_explicit(&own->periods.in, in + 1u, memory_order_release);
    rts_periods_release(&own->semaphore);
}

static void record(rts_run *run, rts_ticks asserted, rts_ticks entered, rts_ticks released, rts_ticks resumed)
{
    rts_run_sample(run, SERVICE_RESPONSE, (rts_latency)(entered - asserted), entered);
    rts_run_sample(run, TASK_RESPONSE, (rts_latency)(resumed - asserted), resumed);
    rts_run_sample(run, SWITCH_DELAY, (rts_latency)(resumed - released), resumed);
}

static rts_status take_period(rts_run *run, state *own)
{
    const rts_status woken = rts_port_semaphore_take(&own->semaphore);
    const rts_ticks resumed = rts_timer_clock_read();
    uint32_t out = 0;
    const rts_status status = rts_periods_woken(&own->periods, woken, &own->periods.in, &out);
    if (status != RTS_OK) {
        return status;
    }
    const period now = own->ring[out % RING];
    rts_periods_take(&own->periods, out);
    record(run, now.asserted, now.entered, now.released, resumed);
#ifdef RTS_PORT_TIMER_VECTOR
    rts_run_sample(run, VECTOR_RESPONSE, (rts_latency)(now.vector - now.asserted), now.vector);
#endif
    return RTS_OK;
}

#ifdef RTS_PORT_TIMER_WAITS
/** The same, where the kernel's own handler stamps the interrupt and releases what this task waits for. */
static rts_status take_kernel_periods(rts_run *run, state *own, uint32_t count)
{
    uint64_t lost = 0;
    while (own->periods.taken + lost < count) {
        rts_timer_stamps now;
        const rts_status status = rts_port_timer_wait(&now);
        if (status != RTS_OK) {
            return status;
        }
        lost = now.lost;
        own->periods.taken++;
        record(run, now.asserted, now.entered, now.released, now.resumed);
    }
    atomic_store(&own->periods.lost, (uint32_t)lost);
    return RTS_OK;
}
#endif

static rts_status work_single(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)total;
    state *own = rts_run_state(run);
    const rts_timer_spec spec = rts_run_timer(run);
    rts_status status = rts_port_timer_start(&spec, isr, own);
    if (status != RTS_OK) {
        return status;
    }
#ifdef RTS_PORT_TIMER_WAITS
    if (rts_port_timer_answer(spec.source) != RTS_TIMER_ENGINE) {
        status = take_kernel_periods(run, own, count);
        return rts_first_failure(status, rts_port_timer_stop());
    }
#endif
    while (status == RTS_OK && rts_periods_go_on(&own->periods, count)) {
        status = take_period(run, own);
    }
    return rts_first_failure(status, rts_port_timer_stop());
}

static rts_status setup(rts_run *run)
{
    state *own = rts_run_state(run);
#ifdef RTS_PORT_TIMER_RESTS
    if (rts_port_timer_arms(rts_run_timer(run).source)) {
        rts_run_series(run, SWITCH_DELAY, "arm-and-switch-delay"); /* no paper's switch has that in it */
    }
#endif
    const rts_status status = rts_port_semaphore_create(&own->semaphore, 0, RING + 1u);
    if (status != RTS_OK) {
        return status;
    }
    own->made = true;
    own->polled = rts_port_supports(RTS_SERVICE_THREADS) == RTS_UNSUPPORTED;
    if (own->polled) {
        return RTS_OK;
    }
    return rts_worker_create(&own->worker, run, RTS_PRIORITY_TOP);
}

static rts_status single(rts_run *run, uint32_t samples)
{
    state *own = rts_run_state(run);
    rts_periods_begin(&own->periods, samples);
    const rts_status status =
        own->polled ? work_single(run, samples, NULL) : rts_worker_do(&own->worker, work_single, samples, NULL);
    if (status != RTS_OK) {
        return status;
    }
    rts_periods_check(&own->periods, run);
    return RTS_OK;
}

static void teardown(rts_run *run)
{
    state *own = rts_run_state(run);
    if (!own->polled) {
        rts_worker_destroy(&own->worker);
    }
    if (own->made) {
        rts_port_semaphore_destroy(&own->semaphore);
    }
}

const rts_measurement rts_measurement_interrupt_response = {
    .name = "interrupt-response",
    .meaning = 3,
    .summary = "from the assertion of the measured interrupt to its handler and to the task that it wakes",
    .series = {"interrupt-service-response", "interrupt-task-response", "context-switch-delay" VECTOR_SERIES},
    .services = 1u << RTS_SERVICE_TIMER, /* without threads it is what the hardware alone does */
    .passes = RTS_PASS_SINGLE,
    .traits = RTS_ENTERS | RTS_ON_TIMER,
    .paced_by = RTS_PACED_BY_TIMER,
    .setup = setup,
    .single = single,
    .teardown = teardown,
};
