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
#include "common/worker.h"
#include "posix.h"

typedef struct state {
    rts_worker worker;
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

static rts_status install(void)
{
    struct sigaction action = {.sa_handler = intercept};
    (void)sigemptyset(&action.sa_mask);
    return sigaction(SIGRTMIN, &action, NULL) == 0 ? RTS_OK : rts_posix_status(errno);
}

static rts_status send_and_intercept(state *own, pid_t self, int signal)
{
    caught = 0;
    if (kill(self, signal) != 0) {
        return rts_posix_status(errno);
    }
    own->intercepted += caught != 0 ? 1u : 0u;
    return RTS_OK;
}

static rts_status work_batch(rts_run *run, uint32_t count, rts_ticks *total)
{
    state *own = rts_run_state(run);
    const pid_t self = getpid();
    const int signal = SIGRTMIN;
    rts_status status = install();
    const rts_ticks begin = rts_clock_read();
    for (uint32_t i = 0; i < count && status == RTS_OK; i++) {
        status = send_and_intercept(own, self, signal);
    }
    const rts_ticks end = rts_clock_read();
    *total = end - begin;
    return status;
}

static rts_status work_single(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)total;
    state *own = rts_run_state(run);
    const pid_t self = getpid();
    const int signal = SIGRTMIN;
    rts_status status = install();
    for (uint32_t i = 0; i < count && status == RTS_OK; i++) {
        rts_run_before(run);
        const rts_ticks begin = rts_clock_read();
        status = send_and_intercept(own, self, signal);
        const rts_ticks end = rts_clock_read();
        if (status == RTS_OK) {
            rts_run_sample(run, 0, (rts_latency)(end - begin), end);
        }
    }
    return status;
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
    .summary = "a process sends itself a signal, its handler intercepts it, and the process goes on",
    .series = {"signal-intercept"},
    .services = 1u << RTS_SERVICE_PROCESSES | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup,
    .batch = batch,
    .single = single,
    .teardown = teardown,
};
