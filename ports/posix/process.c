/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Threads with an address space of their own: processes that share rts_port_memory, die with the engine, and can be suspended.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "posix.h"

/** What this process is, where it is one of the engine's; asked in measured windows, where a system call has no place. */
static const struct rts_thread *self_known;

static _Noreturn void live(struct rts_thread *thread, int native, pid_t engine)
{
    self_known = thread;
    /* Locks of memory and the wish to die with the parent are not inherited. */
    const rts_status bound = rts_system_die_with(engine);
    if (bound != RTS_OK && bound != RTS_UNSUPPORTED) {
        _exit(RTS_FAILED);
    }
    __atomic_store_n(&thread->bound, true, __ATOMIC_RELEASE);
    rts_posix_signals(true);
    rts_system_shrink(); /* what a measured fork copies is what this process has */
    if (rts_posix_locked() && mlockall(MCL_CURRENT) != 0) {
        _exit(RTS_NO_MEMORY);
    }
    if (thread->cpu != rts_posix_pinned()) {
        if (rts_system_pin_self(thread->cpu) != RTS_OK) {
            _exit(RTS_INVALID);
        }
        rts_posix_set_pinned(thread->cpu);
    }
    const struct sched_param param = {.sched_priority = native};
    if (pthread_setschedparam(pthread_self(), native > 0 ? SCHED_FIFO : SCHED_OTHER, &param) != 0) {
        _exit(RTS_DENIED);
    }
    thread->process = getpid(); /* the maker may not have come to store it */
    thread->entry(thread->arg);
    rts_posix_note_cpu(thread, CLOCK_PROCESS_CPUTIME_ID);
    _exit(0);
}

rts_status rts_posix_process_start(struct rts_thread *thread, int native)
{
    if (!rts_posix_is_shared(thread)) {
        return RTS_INVALID; /* the process could not be spoken to */
    }
    thread->bound = false;
    const pid_t engine = getpid();
    const pid_t process = fork();
    if (process == 0) {
        live(thread, native, engine);
    }
    if (process < 0) {
        return rts_system_status(errno);
    }
    thread->process = process;
    /* A child begins at its maker's priority; if it is to have a higher one it must get it, and the CPU, here and now. */
    const struct sched_param param = {.sched_priority = native};
    (void)sched_setscheduler(process, native > 0 ? SCHED_FIFO : SCHED_OTHER, &param);
    return RTS_OK;
}

static rts_status signal_process(const struct rts_thread *thread, int signal)
{
    if (thread->process == 0) {
        return RTS_UNSUPPORTED; /* POSIX can stop a process, not a thread */
    }
    return kill(thread->process, signal) == 0 ? RTS_OK : rts_system_status(errno);
}

/** Waits, once in a process's life, until it is bound: one that is stopped before would outlive a killed engine. */
static bool wait_until_bound(const struct rts_thread *thread)
{
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = 100000};
    for (int i = 0; i < 50000 && !__atomic_load_n(&thread->bound, __ATOMIC_ACQUIRE); i++) {
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
    }
    return __atomic_load_n(&thread->bound, __ATOMIC_ACQUIRE);
}

rts_status rts_port_thread_suspend(struct rts_thread *thread)
{
    if (thread->process != 0 && !wait_until_bound(thread)) {
        return RTS_FAILED;
    }
    return signal_process(thread, SIGSTOP);
}

rts_status rts_port_thread_suspend_self(struct rts_thread *self)
{
    if (self != self_known) {
        return RTS_UNSUPPORTED;
    }
    return kill(self->process, SIGSTOP) == 0 ? RTS_OK : rts_system_status(errno);
}

rts_status rts_port_thread_resume(struct rts_thread *thread)
{
    return signal_process(thread, SIGCONT);
}

bool rts_port_thread_is_suspended(struct rts_thread *thread)
{
    return thread->process != 0 && rts_system_is_stopped(thread->process);
}
