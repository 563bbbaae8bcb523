/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The measured interrupt's way by stages (common/chain.h), each of one interrupt.
 *
 * APS Tables 1, 2, 4 and 5: by way of a bottom half, and the total where nothing is stamped in between. APS Tables 1 to 5, the rows with user level ISR:
 * by way of a routine in user space, which a signal calls. SPring-8 Table 2 in the paper's own words: an interrupt to the start of a driver's service
 * routine, the dispatch of a kernel thread included. There the kernel's handler wakes a thread as the kernel wakes those of threaded handlers; that
 * thread's first instruction ends the span.
 */
#include "common/chain.h"
#include "common/state.h"
#include "common/worker.h"

/** What is recorded of each interrupt. */
typedef enum kind {
    ALL,   /**< every stage, the total and the residual: the stages and the residual add up to the total */
    TOTAL, /**< one series, assertion to task, and no clock is read in between but the handler's */
    DRIVER /**< one series, assertion to the bottom half: only of one that is the kernel's own */
} kind;

typedef struct state {
    kind kind;
    bool polled; /**< the port has one thread, this one, whose wait is a loop */
    rts_worker worker;
    rts_chain chain;
} state;

RTS_STATE_FITS(state);

static void record(rts_run *run, const state *own, const rts_timer_stamps *stamps)
{
    const rts_chain_delays delays = rts_chain_split(stamps);
    uint32_t series = 0;
    if (own->kind == TOTAL) {
        rts_run_sample(run, 0, delays.total, stamps->resumed);
        return;
    }
    if (own->kind == DRIVER) {
        rts_run_sample(run, 0, delays.service + delays.to_bottom, stamps->deferred);
        return;
    }
    rts_run_sample(run, series++, delays.service, stamps->entered);
    if (delays.has_bottom) {
        rts_run_sample(run, series, delays.to_bottom, stamps->deferred);
    }
    series++;
    if (delays.has_routine) {
        rts_run_sample(run, series++, delays.to_routine, stamps->routine);
    }
    rts_run_sample(run, series++, delays.switching, stamps->resumed);
    rts_run_sample(run, series++, delays.total, stamps->resumed);
    rts_run_sample(run, series++, delays.residual, stamps->resumed);
}

static rts_status work(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)total;
    state *own = rts_run_state(run);
    rts_status status = rts_chain_start(&own->chain, count);
    if (status != RTS_OK) {
        return status;
    }
    while (status == RTS_OK && rts_chain_goes_on(&own->chain)) {
        rts_timer_stamps stamps;
        status = rts_chain_wait(&own->chain, &stamps);
        if (status == RTS_OK) {
            record(run, own, &stamps);
        }
    }
    return rts_first_failure(status, rts_chain_stop(&own->chain));
}

static rts_status setup(rts_run *run, rts_timer_path path, kind recorded)
{
    state *own = rts_run_state(run);
    rts_chain_spec spec = {rts_run_timer(run), rts_run_thread(run, "bottom", RTS_PRIORITY_TOP)};
    spec.timer.path = path;
    spec.timer.unstamped = recorded == TOTAL;
    own->kind = recorded;
    own->polled = rts_port_supports(RTS_SERVICE_THREADS) == RTS_UNSUPPORTED;
    const char *const why = rts_port_timer_why_not(&spec.timer, recorded == DRIVER);
    if (why != NULL) {
        rts_run_why(run, why);
        return RTS_UNSUPPORTED;
    }
    if (own->polled && recorded == ALL) {
        rts_run_series(run, 1, NULL); /* there is no bottom half */
    }
    const rts_status status = rts_chain_open(&own->chain, &spec);
    return status == RTS_OK && !own->polled ? rts_worker_create(&own->worker, run, RTS_PRIORITY_HIGH) : status;
}

static rts_status single(rts_run *run, uint32_t samples)
{
    state *own = rts_run_state(run);
    const rts_status status = own->polled ? work(run, samples, NULL) : rts_worker_do(&own->worker, work, samples, NULL);
    if (status != RTS_OK) {
        return status;
    }
    rts_periods_check(&own->chain.periods, run);
    return RTS_OK;
}

static void teardown(rts_run *run)
{
    state *own = rts_run_state(run);
    rts_worker_destroy(&own->worker);
    rts_chain_close(&own->chain);
}

static rts_status setup_stages(rts_run *run)
{
    return setup(run, RTS_TIMER_DEFERRED, ALL);
}

static rts_status setup_total(rts_run *run)
{
    return setup(run, RTS_TIMER_DEFERRED, TOTAL);
}

/* Without threads there is no bottom half, and yet a total. */
const rts_measurement rts_measurement_interrupt_stages = {
    .name = "interrupt-stages",
    .summary = "an interrupt's way to its handler, its bottom half and the task that this releases, stage by stage",
    .meaning = 2,
    .series = {"interrupt-service-response", "top-to-bottom-half", "context-switch-delay", "interrupt-task-response",
               "residual"},
    .services = 1u << RTS_SERVICE_TIMER,
    .passes = RTS_PASS_SINGLE,
    .traits = RTS_ENTERS | RTS_ON_TIMER,
    .paced_by = RTS_PACED_BY_TIMER,
    .setup = setup_stages,
    .single = single,
    .teardown = teardown,
    .whole = 4,
};

const rts_measurement rts_measurement_interrupt_total = {
    .name = "interrupt-total",
    .summary =
        "from the assertion of the measured interrupt by way of a bottom half to the waiting task, not stamped in between",
    .meaning = 3,
    .series = {"interrupt-task-response"},
    .services = 1u << RTS_SERVICE_TIMER,
    .passes = RTS_PASS_SINGLE,
    .traits = RTS_ENTERS | RTS_ON_TIMER,
    .paced_by = RTS_PACED_BY_TIMER,
    .setup = setup_total,
    .single = single,
    .teardown = teardown,
};

#ifdef RTS_PORT_TIMER_WAITS /* what only a handler in the kernel can pass on; the first has more series than a small port has */
static rts_status setup_user_isr_stages(rts_run *run)
{
    return setup(run, RTS_TIMER_SIGNALLED, ALL);
}

static rts_status setup_user_isr_total(rts_run *run)
{
    return setup(run, RTS_TIMER_SIGNALLED, TOTAL);
}

static rts_status setup_driver(rts_run *run)
{
    return setup(run, RTS_TIMER_DEFERRED, DRIVER);
}

const rts_measurement rts_measurement_user_isr_stages = {
    .name = "user-isr-stages",
    .summary =
        "the stages of an interrupt that a routine in user space answers, called by a signal of the kernel's bottom half",
    .meaning = 2,
    .series = {"interrupt-service-response", "top-to-bottom-half", "bottom-half-to-user-isr", "context-switch-delay",
               "interrupt-task-response", "residual"},
    .services = 1u << RTS_SERVICE_THREADS,
    .passes = RTS_PASS_SINGLE,
    .traits = RTS_ENTERS | RTS_ON_TIMER | RTS_PRIORITIZED | RTS_KERNEL_HANDLER,
    .paced_by = RTS_PACED_BY_TIMER,
    .setup = setup_user_isr_stages,
    .single = single,
    .teardown = teardown,
    .whole = 5,
};

const rts_measurement rts_measurement_user_isr_total = {
    .name = "user-isr-total",
    .summary =
        "from the assertion by way of a routine in user space, called by a signal, to the waiting task, not stamped in between",
    .meaning = 2,
    .series = {"interrupt-task-response"},
    .services = 1u << RTS_SERVICE_THREADS,
    .passes = RTS_PASS_SINGLE,
    .traits = RTS_ENTERS | RTS_ON_TIMER | RTS_PRIORITIZED | RTS_KERNEL_HANDLER,
    .paced_by = RTS_PACED_BY_TIMER,
    .setup = setup_user_isr_total,
    .single = single,
    .teardown = teardown,
};

const rts_measurement rts_measurement_driver_response = {
    .name = "driver-response",
    .summary =
        "from the assertion of the measured interrupt to the first instruction of a driver's thread in the kernel",
    .meaning = 1,
    .series = {"driver-response"},
    .services = 1u << RTS_SERVICE_THREADS,
    .passes = RTS_PASS_SINGLE,
    .traits = RTS_ON_TIMER | RTS_KERNEL_HANDLER,
    .paced_by = RTS_PACED_BY_TIMER,
    .setup = setup_driver,
    .single = single,
    .teardown = teardown,
};
#endif
