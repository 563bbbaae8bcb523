/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Threads: created at a native priority and on a CPU, joined, yielding, and their counts of switches and CPU time.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>

#include "posix.h"

int32_t rts_port_priority_native(rts_priority priority, rts_sched sched)
{
    static const int32_t native[RTS_PRIORITY_COUNT] = {
        [RTS_PRIORITY_LOAD] = 0,
        [RTS_PRIORITY_LOW] = RTS_POSIX_PRIORITY_LOW,
        [RTS_PRIORITY_MIDDLE] = RTS_POSIX_PRIORITY_MIDDLE,
        [RTS_PRIORITY_HIGH] = RTS_POSIX_PRIORITY_HIGH,
        [RTS_PRIORITY_TOP] = RTS_POSIX_PRIORITY_TOP,
    };
    if (sched != RTS_SCHED_RT || !rts_posix_realtime() || (unsigned)priority >= RTS_PRIORITY_COUNT) {
        return 0; /* SCHED_OTHER has no fixed priority */
    }
    return native[priority];
}

static void *begin(void *self)
{
    struct rts_thread *const thread = self;
    rts_posix_set_pinned(thread->cpu);
    if (thread->moves && rts_system_pin_self(thread->cpu) != RTS_OK) {
        rts_port_fatal("a thread cannot be pinned to its CPU");
    }
    /* The maker may not have come to store it; both store the same. */
    __atomic_store_n(&thread->handle, pthread_self(), __ATOMIC_RELAXED);
    thread->entry(thread->arg);
    rts_posix_note_cpu(thread, CLOCK_THREAD_CPUTIME_ID);
    return NULL;
}

/** What a thread of that priority is to be. */
static rts_status describe_thread(pthread_attr_t *attr, int native)
{
    const int error = pthread_attr_init(attr);
    if (error != 0) {
        return rts_system_status(error);
    }
    const struct sched_param param = {.sched_priority = native};
    const rts_status status = rts_system_status(pthread_attr_setstacksize(attr, RTS_POSIX_STACK_BYTES));
    if (status != RTS_OK) {
        return status;
    }
    (void)pthread_attr_setinheritsched(attr, PTHREAD_EXPLICIT_SCHED);
    (void)pthread_attr_setschedpolicy(attr, native > 0 ? SCHED_FIFO : SCHED_OTHER);
    return rts_system_status(pthread_attr_setschedparam(attr, &param));
}

rts_status rts_posix_thread_start(struct rts_thread *thread, int native)
{
    /* Kept from one to the next of a maker's threads: to state a priority takes two system calls, which are no part of "create task". */
    static _Thread_local struct {
        pthread_attr_t attr;
        int native;
        bool made;
    } last;
    if (!last.made || last.native != native) {
        if (last.made) {
            (void)pthread_attr_destroy(&last.attr);
        }
        const rts_status status = describe_thread(&last.attr, native);
        last.made = status == RTS_OK;
        last.native = native;
        if (status != RTS_OK) {
            return status;
        }
    }
    /* A thread inherits its maker's CPU; saying it again would be part of the window of "create task". */
    thread->moves = thread->cpu != rts_posix_pinned();
    pthread_t handle;
    const rts_status status = rts_system_status(pthread_create(&handle, &last.attr, begin, thread));
    if (status == RTS_OK) {
        __atomic_store_n(&thread->handle, handle, __ATOMIC_RELAXED);
    }
    return status;
}

rts_status rts_port_thread_create(struct rts_thread *thread, const rts_thread_attr *attr, void (*entry)(void *),
                                  void *arg)
{
    if (attr->cpu != RTS_CPU_ANY && attr->cpu != rts_posix_pinned() && !rts_system_cpu_usable(attr->cpu)) {
        return RTS_INVALID;
    }
    thread->process = 0;
    thread->cpu = attr->cpu == RTS_CPU_ANY ? rts_posix_pinned() : attr->cpu;
    thread->entry = entry;
    thread->arg = arg;
    thread->cpu_ns = 0;
    thread->counted =
        attr->priority == RTS_PRIORITY_LOAD; /* a clock reading at its end would fall into other windows */
    const int native = (int)rts_port_priority_native(attr->priority, attr->sched);
    if (attr->space == RTS_SPACE_OWN) {
        return rts_posix_process_start(thread, native);
    }
    return rts_posix_thread_start(thread, native);
}

rts_status rts_port_thread_join(struct rts_thread *thread)
{
    if (thread->process != 0) {
        return rts_system_process_join(thread->process);
    }
    return rts_system_status(pthread_join(__atomic_load_n(&thread->handle, __ATOMIC_RELAXED), NULL));
}

rts_status rts_port_yield(void)
{
    return sched_yield() == 0 ? RTS_OK : rts_system_status(errno);
}

rts_status rts_port_switch_count(uint64_t *voluntary)
{
    return rts_system_switches(voluntary);
}

rts_status rts_port_thread_cpu_ns(struct rts_thread *thread, uint64_t *cpu_ns)
{
    const uint64_t noted = __atomic_load_n(&thread->cpu_ns, __ATOMIC_ACQUIRE);
    if (noted != 0) {
        *cpu_ns = noted;
        return RTS_OK;
    }
    clockid_t clock;
    const int error = thread->process != 0
                          ? clock_getcpuclockid(thread->process, &clock)
                          : pthread_getcpuclockid(__atomic_load_n(&thread->handle, __ATOMIC_RELAXED), &clock);
    if (error != 0) {
        return rts_system_status(error);
    }
    return rts_posix_cpu_ns(clock, cpu_ns);
}
