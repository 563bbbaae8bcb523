/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Signals as user-level ISR: from when a POSIX timer is due to the first instruction of the handler of its signal, and to the process that waits for it.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "common/state.h"
#include "common/worker.h"
#include "posix.h"

enum { HANDLER, PROCESS };

typedef struct state {
    rts_worker worker;
    uint64_t taken; /**< periods of this slice that became samples */
} state;

RTS_STATE_FITS(state);

/* Of the process that is measured: the handler runs between two of its own instructions. */
static volatile rts_ticks entered;
static volatile sig_atomic_t caught;

static void handle(int signal)
{
    const rts_ticks now = rts_timer_clock_read();
    (void)signal;
    entered = now;
    caught = 1;
}

/** Takes the signals of a running timer; one signal may stand for several periods, by the kernel's overrun count. */
static rts_status take(rts_run *run, uint32_t count, timer_t timer, rts_ticks due, const sigset_t *open)
{
    state *own = rts_run_state(run);
    const rts_ticks period = rts_run_timer(run).period;
    while (own->taken < count) {
        caught = 0;
        (void)sigsuspend(open);
        const rts_ticks resumed = rts_timer_clock_read();
        if (caught == 0) {
            continue; /* another signal */
        }
        const int missed = timer_getoverrun(timer);
        if (missed < 0) {
            return rts_system_status(errno);
        }
        for (int i = 0; i <= missed && own->taken < count; i++) {
            rts_run_sample(run, HANDLER, (rts_latency)(entered - due), entered);
            rts_run_sample(run, PROCESS, (rts_latency)(resumed - due), resumed);
            due += period;
            own->taken++;
        }
    }
    return RTS_OK;
}

static rts_status work_single(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)total;
    const rts_timer_spec spec = rts_run_timer(run);
    const int signal = SIGRTMIN + 1;
    struct sigaction action = {.sa_handler = handle};
    sigset_t only;
    sigset_t open;
    (void)sigemptyset(&action.sa_mask);
    (void)sigemptyset(&only);
    (void)sigaddset(&only, signal);
    if (sigaction(signal, &action, NULL) != 0 || sigprocmask(SIG_BLOCK, &only, &open) != 0) {
        return rts_system_status(errno);
    }
    (void)sigdelset(&open, signal);
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = signal;
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) {
        return rts_system_status(errno);
    }
    const rts_ticks first = rts_timer_clock_read() + spec.phase + spec.period;
    const struct itimerspec when = {.it_value = rts_timespec(first), .it_interval = rts_timespec(spec.period)};
    rts_status status = timer_settime(timer, TIMER_ABSTIME, &when, NULL) == 0 ? RTS_OK : rts_system_status(errno);
    if (status == RTS_OK) {
        status = take(run, count, timer, first, &open);
    }
    (void)timer_delete(timer); /* and with it a signal that still waits */
    return status;
}

static rts_status setup(rts_run *run)
{
    state *own = rts_run_state(run);
    if (rts_posix_timer_counter) {
        rts_run_why(
            run,
            "its timer is due on CLOCK_MONOTONIC, and this run times interrupts by the counter of the probe module");
        return RTS_UNSUPPORTED;
    }
    return rts_worker_create_process(&own->worker, run, RTS_PRIORITY_TOP);
}

static rts_status single(rts_run *run, uint32_t samples)
{
    state *own = rts_run_state(run);
    own->taken = 0;
    const rts_status status = rts_worker_do(&own->worker, work_single, samples, NULL);
    if (status == RTS_OK) {
        rts_run_check(run, "periods", own->taken, samples, samples);
    }
    return status;
}

static void teardown(rts_run *run)
{
    state *own = rts_run_state(run);
    rts_worker_destroy(&own->worker);
}

const rts_measurement rts_measurement_signal_latency = {
    .name = "signal-latency",
    .meaning = 1,
    .summary =
        "from when a POSIX timer is due to its signal's handler, a process's own, and to the process that it wakes",
    .series = {"signal-latency", "signal-process-response"},
    .services = 1u << RTS_SERVICE_PROCESSES | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_SINGLE,
    .traits = RTS_ON_TIMER,
    .paced_by = RTS_PACED_BY_TIMER,
    .setup = setup,
    .single = single,
    .teardown = teardown,
};
