/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * INFN Table 2, "Signal intercepts (of processes)": a process sends itself a signal, which its handler intercepts before kill returns.
 */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "common/state.h"
#include "common/timed.h"
#include "common/worker.h"
#include "posix.h"

typedef struct state {
    rts_worker worker;
    pid_t self;
    int signal;           /**< SIGRTMIN: a call of the C library, which no window should hold */
    uint64_t intercepted; /**< in this slice */
} state;

RTS_STATE_FITS(state);

/* Of the process that is measured: it has no other thread. */
static volatile sig_atomic_t caught;

static void intercept(int signal)
{
    (void)signal;
    caught = 1;
}

static rts_status install(state *own)
{
    struct sigaction action = {.sa_handler = intercept};
    (void)sigemptyset(&action.sa_mask);
    own->self = getpid();
    own->signal = SIGRTMIN;
    return sigaction(own->signal, &action, NULL) == 0 ? RTS_OK : rts_system_status(errno);
}

static rts_status send_and_intercept(void *arg, uint32_t i)
{
    (void)i;
    state *own = arg;
    caught = 0;
    if (kill(own->self, own->signal) != 0) {
        return rts_system_status(errno);
    }
    own->intercepted += caught != 0 ? 1u : 0u;
    return RTS_OK;
}

static rts_status work_batch(rts_run *run, uint32_t count, rts_ticks *total)
{
    state *own = rts_run_state(run);
    const rts_status status = install(own);
    return status != RTS_OK ? status : rts_time_together(own, send_and_intercept, count, total);
}

static rts_status work_single(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)total;
    const rts_status status = install(rts_run_state(run));
    return status != RTS_OK ? status : rts_time_each(run, send_and_intercept, count, NULL);
}

static rts_status setup(rts_run *run)
{
    state *own = rts_run_state(run);
    return rts_worker_create_process(&own->worker, run, RTS_PRIORITY_MIDDLE);
}

static rts_status do_slice(rts_run *run, rts_work work, uint32_t count, rts_ticks *total)
{
    state *own = rts_run_state(run);
    own->intercepted = 0;
    const rts_status status = rts_worker_do(&own->worker, work, count, total);
    if (status == RTS_OK) {
        rts_run_check(run, "intercepts", own->intercepted, count, count);
    }
    return status;
}

static rts_status batch(rts_run *run, uint32_t ops, rts_ticks *total)
{
    return do_slice(run, work_batch, ops, total);
}

static rts_status single(rts_run *run, uint32_t samples)
{
    return do_slice(run, work_single, samples, NULL);
}

static void teardown(rts_run *run)
{
    state *own = rts_run_state(run);
    rts_worker_destroy(&own->worker);
}

const rts_measurement rts_measurement_signal_intercept = {
    .name = "signal-intercept",
    .meaning = 1,
    .summary = "a process sends itself a signal, its handler intercepts it, and the process goes on",
    .series = {"signal-intercept"},
    .services = 1u << RTS_SERVICE_PROCESSES | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup,
    .batch = batch,
    .single = single,
    .teardown = teardown,
};
