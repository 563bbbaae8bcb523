/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The routine's calls and the module's interrupts, brought together: the n-th call is of the n-th interrupt, and whoever finds no room for a call
 * leaves its interrupt out too, so that no sample is made of two.
 */
#include "timer_routine.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "../probe/rtstone_probe.h"

#define SIGNAL (SIGRTMIN + 3) /* one of those that queue: each interrupt has its own */
/* Room for every interrupt that the module keeps. */
#define RING RTSTONE_PROBE_RING
/* How long calls may be behind the last interrupt: where priorities mean nothing, the task may run before the routine. */
#define BEHIND_TRIES 1000u
#define BEHIND_NS 1000000

/** What one call of the routine saw; on the timer's clock. */
typedef struct call {
    uint32_t number; /**< of the interrupt, since the start */
    rts_ticks entered;
    rts_ticks released;
} call;

static struct {
    const rts_linux_routine_module *module;
    struct rts_thread thread; /**< receives the signal, and sleeps at all other times */
    pthread_t handle;         /**< stored by the thread itself before it is ready */
    struct rts_semaphore made_ready;
    struct rts_semaphore to_task;
    bool there;
    bool unstamped;
    rts_status receives; /**< what the module said to the thread */
    _Atomic bool ending;
    _Atomic uint32_t calls; /**< the routine's */
    _Atomic uint32_t in;    /**< the routine's: calls that found room */
    _Atomic uint32_t out;   /**< the task's */
    uint32_t fetched;       /**< the task's: interrupts of the module */
    uint64_t lost;          /**< the task's: of these, such whose call found no room */
    call ring[RING];
} routine;

static void isr(int number)
{
    (void)number;
    const rts_ticks entered = rts_timer_clock_read();
    if (atomic_load_explicit(&routine.ending, memory_order_acquire)) {
        return;
    }
    const uint32_t now = atomic_load_explicit(&routine.calls, memory_order_relaxed);
    const uint32_t in = atomic_load_explicit(&routine.in, memory_order_relaxed);
    if (in - atomic_load_explicit(&routine.out, memory_order_acquire) < RING) {
        call *const made = &routine.ring[in % RING];
        made->number = now;
        made->entered = entered;
        atomic_store_explicit(&routine.in, in + 1u, memory_order_release);
        made->released = routine.unstamped ? 0u : rts_timer_clock_read();
        if (rts_port_semaphore_give(&routine.to_task) != RTS_OK) {
            rts_port_fatal("the user-level interrupt service routine cannot release its semaphore");
        }
    }
    atomic_store_explicit(&routine.calls, now + 1u, memory_order_release);
}

static void thread_main(void *unused)
{
    (void)unused;
    routine.handle = pthread_self();
    sigset_t blocked;
    sigset_t open;
    (void)sigemptyset(&blocked);
    (void)sigaddset(&blocked, SIGNAL);
    (void)pthread_sigmask(SIG_BLOCK, &blocked, &open);
    (void)sigdelset(&open, SIGNAL);
    routine.receives = routine.module->receive(SIGNAL);
    if (rts_port_semaphore_give(&routine.made_ready) != RTS_OK) {
        rts_port_fatal("the thread of the user-level interrupt service routine cannot say that it is ready");
    }
    while (!atomic_load_explicit(&routine.ending, memory_order_acquire)) {
        (void)sigsuspend(&open); /* the routine runs in here and nowhere else */
    }
}

bool rts_linux_routine_there(void)
{
    return routine.there;
}

static void forget(void)
{
    rts_port_semaphore_destroy(&routine.to_task);
    rts_port_semaphore_destroy(&routine.made_ready);
}

static rts_status make_thread(const rts_timer_spec *spec)
{
    struct sigaction action = {.sa_handler = isr, .sa_flags = SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    if (sigaction(SIGNAL, &action, NULL) != 0) {
        return RTS_FAILED;
    }
    const rts_thread_attr attr = {"user-isr", RTS_PRIORITY_TOP, spec->sched, RTS_SPACE_SHARED, spec->cpu};
    return rts_port_thread_create(&routine.thread, &attr, thread_main, NULL);
}

rts_status rts_linux_routine_begin(const rts_timer_spec *spec, const rts_linux_routine_module *module)
{
    if (routine.there) {
        return RTS_INVALID;
    }
    routine.module = module;
    routine.unstamped = spec->unstamped;
    atomic_store(&routine.ending, false);
    atomic_store(&routine.calls, 0);
    atomic_store(&routine.in, 0);
    atomic_store(&routine.out, 0);
    routine.fetched = 0;
    routine.lost = 0;
    rts_status status = rts_port_semaphore_create(&routine.made_ready, 0, 1);
    if (status != RTS_OK) {
        return status;
    }
    status = rts_port_semaphore_create(&routine.to_task, 0, RING);
    if (status != RTS_OK) {
        rts_port_semaphore_destroy(&routine.made_ready);
        return status;
    }
    status = make_thread(spec);
    if (status != RTS_OK) {
        forget();
        return status;
    }
    routine.there = true;
    status = rts_port_semaphore_take(&routine.made_ready);
    status = status == RTS_OK ? routine.receives : status;
    if (status != RTS_OK) {
        (void)rts_linux_routine_end();
    }
    return status;
}

rts_status rts_linux_routine_wait(rts_timer_stamps *stamps)
{
    rts_status status = rts_port_semaphore_take(&routine.to_task);
    const rts_ticks resumed = rts_timer_clock_read();
    const uint32_t out = atomic_load_explicit(&routine.out, memory_order_relaxed);
    if (status == RTS_OK && out == atomic_load_explicit(&routine.in, memory_order_acquire)) {
        status = RTS_BROKEN;
    }
    if (status != RTS_OK) {
        return status;
    }
    const call made = routine.ring[out % RING];
    do {
        status = routine.module->take(stamps);
        routine.lost += status == RTS_OK && routine.fetched != made.number ? 1u : 0u;
    } while (status == RTS_OK && routine.fetched++ != made.number);
    atomic_store_explicit(&routine.out, out + 1u, memory_order_release);
    stamps->routine = routine.unstamped ? 0u : made.entered;
    stamps->released = made.released;
    stamps->resumed = resumed;
    if (status == RTS_OK) {
        stamps->lost += routine.lost;
    }
    return status;
}

/** Every interrupt that the module has kept was a call: else the kernel had no room for a signal, and two became one. */
static rts_status all_were_called(void)
{
    rts_timer_stamps left;
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = BEHIND_NS};
    while (routine.module->take(&left) == RTS_OK) {
        routine.fetched++;
    }
    for (uint32_t tries = 0; atomic_load(&routine.calls) != routine.fetched && tries < BEHIND_TRIES; tries++) {
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
    }
    return atomic_load(&routine.calls) == routine.fetched ? RTS_OK : RTS_BROKEN;
}

rts_status rts_linux_routine_end(void)
{
    if (!routine.there) {
        return RTS_INVALID;
    }
    const rts_status status = routine.receives == RTS_OK ? all_were_called() : RTS_OK;
    atomic_store_explicit(&routine.ending, true, memory_order_release);
    (void)pthread_kill(routine.handle, SIGNAL);
    if (rts_port_thread_join(&routine.thread) != RTS_OK) {
        rts_port_fatal("the thread of the user-level interrupt service routine cannot be ended");
    }
    (void)routine.module->receive(0);
    forget();
    routine.there = false;
    return status;
}
