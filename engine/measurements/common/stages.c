/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The measured interrupt's way by stages, APS 2005: all of one interrupt's.
 */
#include "stages.h"

#include "chain.h"
#include "rtstone/text.h"
#include "state.h"
#include "worker.h"

typedef struct state {
    rts_stages_kind kind;
    bool polled; /**< the port has one thread, this one, whose wait is a loop */
    rts_worker worker;
    rts_chain chain;
} state;

RTS_STATE_FITS(state);

static void record(rts_run *run, const state *own, const rts_timer_stamps *stamps)
{
    const rts_chain_delays delays = rts_chain_split(stamps);
    uint32_t series = 0;
    if (own->kind == RTS_STAGES_TOTAL) {
        rts_run_sample(run, 0, delays.total, stamps->resumed);
        return;
    }
    if (own->kind == RTS_STAGES_DRIVER) {
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

static const char *why_not(rts_timer_path path, rts_stages_kind kind, const char *source)
{
    static const char *const of_a_kernel[] = {"probe",    "tasklet",          "workqueue",
                                              "software", "software-tasklet", "software-workqueue"};
#ifdef RTS_PORT_TIMER_WAITS
    if (rts_port_timer_in_kernel(source)) {
        return NULL;
    }
#endif
    for (size_t i = 0; i < sizeof of_a_kernel / sizeof of_a_kernel[0]; i++) {
        if (rts_text_equal(source, of_a_kernel[i])) {
            return "no kernel module answers the interrupt here, and only that has this source: on Linux build and load "
                   "probe/ (probe/README.md says how)";
        }
    }
    if (kind == RTS_STAGES_DRIVER) {
        return "only a driver's handler has a thread of the kernel dispatched, and none answers the interrupt here: build and "
               "load probe/ (probe/README.md says how)";
    }
    return path != RTS_TIMER_SIGNALLED
               ? NULL
               : "only a kernel module's bottom half can send the signal, and none answers the interrupt here: build and "
                 "load probe/ (probe/README.md says how)";
}

rts_status rts_stages_setup(rts_run *run, rts_timer_path path, rts_stages_kind kind)
{
    state *own = rts_run_state(run);
    rts_chain_spec spec = {rts_run_timer(run), rts_run_thread(run, "bottom", RTS_PRIORITY_TOP)};
    spec.timer.path = path;
    spec.timer.unstamped = kind == RTS_STAGES_TOTAL;
    own->kind = kind;
    own->polled = rts_port_supports(RTS_SERVICE_THREADS) == RTS_UNSUPPORTED;
    const char *const why = why_not(path, kind, spec.timer.source);
    if (why != NULL) {
        rts_run_why(run, why);
        return RTS_UNSUPPORTED;
    }
    if (own->polled && kind == RTS_STAGES_ALL) {
        rts_run_series(run, 1, NULL); /* there is no bottom half */
    }
    const rts_status status = rts_chain_open(&own->chain, &spec);
    return status == RTS_OK && !own->polled ? rts_worker_create(&own->worker, run, RTS_PRIORITY_HIGH) : status;
}

rts_status rts_stages_single(rts_run *run, uint32_t samples)
{
    state *own = rts_run_state(run);
    const rts_status status = own->polled ? work(run, samples, NULL) : rts_worker_do(&own->worker, work, samples, NULL);
    if (status != RTS_OK) {
        return status;
    }
    rts_periods_check(&own->chain.periods, run);
    return RTS_OK;
}

void rts_stages_teardown(rts_run *run)
{
    state *own = rts_run_state(run);
    rts_worker_destroy(&own->worker);
    rts_chain_close(&own->chain);
}
