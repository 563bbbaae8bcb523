/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A user-level interrupt service routine, as the APS study had it: a POSIX signal calls it, and it releases the waiting task.
 */
#include "user_isr.h"

#include <signal.h>
#include <stdatomic.h>

#include "../../system.h"
#include "common/deferred.h"
#include "common/state.h"
#include "common/worker.h"

/* Interrupts that the task may be behind: a power of two. */
#define RING 256u
#define SIGNAL (SIGRTMIN + 3) /* one of those that queue: each interrupt has its own */

/** What the routine saw; on the timer's clock. */
typedef struct user_period {
    rts_ticks entered;
    rts_ticks released;
} user_period;

typedef struct state {
    bool total;
    rts_worker worker;
    struct rts_thread routine; /**< the thread that the signal is for, and that sleeps otherwise */
    struct rts_semaphore made_ready;
    struct rts_semaphore to_task;
    uint32_t made;
    rts_status receives; /**< what the module said to the routine's thread */
    rts_ticks gap;
    uint32_t taken;
    uint64_t lost;
    _Atomic bool ending;
    _Atomic uint32_t in; /**< the routine's */
    uint32_t out;        /**< the task's */
    user_period ring[RING];
} state;

RTS_STATE_FITS(state);

static state *called; /* the signal's handler is given nothing */

static void isr(int number)
{
    (void)number;
    const rts_ticks entered = rts_timer_clock_read();
    state *const own = called;
    if (atomic_load_explicit(&own->ending, memory_order_acquire)) {
        return;
    }
    const uint32_t in = atomic_load_explicit(&own->in, memory_order_relaxed);
    user_period *const now = &own->ring[in % RING];
    now->entered = entered;
    atomic_store_explicit(&own->in, in + 1u, memory_order_release);
    now->released = own->total ? 0u : rts_timer_clock_read();
    if (rts_port_semaphore_give(&own->to_task) != RTS_OK) {
        rts_port_fatal("the user-level interrupt service routine cannot release its semaphore");
    }
}

static void routine_main(void *arg)
{
    state *const own = arg;
    sigset_t blocked;
    sigset_t open;
    (void)sigemptyset(&blocked);
    (void)sigaddset(&blocked, SIGNAL);
    (void)pthread_sigmask(SIG_BLOCK, &blocked, &open);
    (void)sigdelset(&open, SIGNAL);
    own->receives = rts_system_probe_receive(SIGNAL);
    if (rts_port_semaphore_give(&own->made_ready) != RTS_OK) {
        rts_port_fatal("the thread of the user-level interrupt service routine cannot say that it is ready");
    }
    while (!atomic_load_explicit(&own->ending, memory_order_acquire)) {
        (void)sigsuspend(&open); /* the routine runs in here and nowhere else */
    }
}

/** The stamps of one interrupt, and what its routine saw, recorded. */
static rts_status take(rts_run *run, state *own)
{
    rts_timer_stamps kernel;
    rts_status status = rts_port_semaphore_take(&own->to_task);
    const rts_ticks resumed = rts_timer_clock_read();
    if (status == RTS_OK && own->out == atomic_load_explicit(&own->in, memory_order_acquire)) {
        status = RTS_BROKEN;
    }
    status = status == RTS_OK ? rts_system_probe_take(&kernel) : status;
    if (status != RTS_OK) {
        return status;
    }
    const user_period user = own->ring[own->out++ % RING];
    own->lost = kernel.lost;
    own->taken++;
    if (own->total) {
        rts_run_sample(run, 0, (rts_latency)(resumed - kernel.asserted), resumed);
        return RTS_OK;
    }
    rts_run_sample(run, 0, (rts_latency)(kernel.entered - kernel.asserted), kernel.entered);
    rts_run_sample(run, 1, (rts_latency)(kernel.deferred - kernel.entered), kernel.deferred);
    rts_run_sample(run, 2, (rts_latency)(user.entered - kernel.deferred), user.entered);
    rts_run_sample(run, 3, (rts_latency)(resumed - user.released), resumed);
    return RTS_OK;
}

static rts_status work(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)total;
    state *const own = rts_run_state(run);
    rts_timer_spec spec = rts_run_timer(run);
    spec.path = RTS_TIMER_SIGNALLED;
    spec.unstamped = own->total;
    const bool by_software = rts_port_timer_by_software(spec.source);
    rts_status status = rts_port_timer_start(&spec, NULL, NULL);
    if (status != RTS_OK) {
        return status;
    }
    for (rts_ticks next = rts_clock_read(); own->taken + own->lost < count && status == RTS_OK;) {
        if (by_software) {
            next += own->gap;
            status = rts_port_sleep_until(next);
            status = status == RTS_OK ? rts_port_timer_raise() : status;
        }
        status = status == RTS_OK ? take(run, own) : status;
    }
    return rts_first_failure(status, rts_port_timer_stop());
}

static rts_status make_routine(rts_run *run, state *own)
{
    struct sigaction action = {.sa_handler = isr, .sa_flags = SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    called = own;
    if (sigaction(SIGNAL, &action, NULL) != 0) {
        return RTS_FAILED;
    }
    const rts_thread_attr attr = rts_run_thread(run, "user-isr", RTS_PRIORITY_TOP);
    rts_status status = rts_port_thread_create(&own->routine, &attr, routine_main, own);
    if (status != RTS_OK) {
        return status;
    }
    own->made++;
    status = rts_port_semaphore_take(&own->made_ready);
    return status == RTS_OK ? own->receives : status;
}

rts_status rts_user_isr_setup(rts_run *run, bool total)
{
    state *const own = rts_run_state(run);
    rts_clock_info clock;
    rts_clock_info timer;
    own->total = total;
    rts_status status = rts_deferred_source(run);
    if (status != RTS_OK) {
        return status;
    }
    const rts_timer_spec spec = rts_run_timer(run);
    if (!rts_port_timer_in_kernel(spec.source)) {
        rts_run_why(
            run,
            "only a kernel module's bottom half can send the signal, and none answers the interrupt here: build and load "
            "probe/ (probe/README.md says how)");
        return RTS_UNSUPPORTED;
    }
    if (rts_port_clock_info(&clock) != RTS_OK || rts_port_timer_clock_info(&timer) != RTS_OK) {
        return RTS_BROKEN;
    }
    own->gap = spec.period * clock.hz / timer.hz;
    struct rts_semaphore *const semaphores[] = {&own->to_task, &own->made_ready};
    while (own->made < 2u && status == RTS_OK) {
        status = rts_port_semaphore_create(semaphores[own->made], 0, RING);
        own->made += status == RTS_OK ? 1u : 0u;
    }
    status = status == RTS_OK ? make_routine(run, own) : status;
    return status == RTS_OK ? rts_worker_create(&own->worker, run, RTS_PRIORITY_HIGH) : status;
}

rts_status rts_user_isr_single(rts_run *run, uint32_t samples)
{
    state *const own = rts_run_state(run);
    own->taken = 0;
    own->lost = 0;
    own->out = 0;
    atomic_store(&own->in, 0);
    const rts_status status = rts_worker_do(&own->worker, work, samples, NULL);
    if (status != RTS_OK) {
        return status;
    }
    rts_run_check(run, "periods", own->taken, samples, samples);
    rts_run_check(run, "periods-lost", own->lost, 0, 0);
    return RTS_OK;
}

void rts_user_isr_teardown(rts_run *run)
{
    state *const own = rts_run_state(run);
    rts_worker_destroy(&own->worker);
    if (own->made > 2u) {
        atomic_store_explicit(&own->ending, true, memory_order_release);
        (void)pthread_kill(own->routine.handle, SIGNAL);
        if (rts_port_thread_join(&own->routine) != RTS_OK) {
            rts_port_fatal("the thread of the user-level interrupt service routine cannot be ended");
        }
        (void)rts_system_probe_receive(0);
    }
    if (own->made > 1u) {
        rts_port_semaphore_destroy(&own->made_ready);
    }
    if (own->made > 0u) {
        rts_port_semaphore_destroy(&own->to_task);
    }
    own->made = 0;
}
