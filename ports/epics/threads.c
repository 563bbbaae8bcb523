/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * epicsThread: creating, joining, suspending themselves, and the CPU time that they used.
 */
#include "epics.h"

static _Thread_local int32_t pinned = RTS_CPU_ANY;

int32_t rts_port_priority_native(rts_priority priority, rts_sched sched)
{
    static const int32_t native[RTS_PRIORITY_COUNT] = {
        [RTS_PRIORITY_LOAD] = RTS_EPICS_PRIORITY_LOAD,     [RTS_PRIORITY_LOW] = RTS_EPICS_PRIORITY_LOW,
        [RTS_PRIORITY_MIDDLE] = RTS_EPICS_PRIORITY_MIDDLE, [RTS_PRIORITY_HIGH] = RTS_EPICS_PRIORITY_HIGH,
        [RTS_PRIORITY_TOP] = RTS_EPICS_PRIORITY_TOP,
    };
    if (sched != RTS_SCHED_RT || !rts_epics_realtime() || (unsigned)priority >= RTS_PRIORITY_COUNT) {
        return 0;
    }
    return native[priority];
}

static void begin(void *self)
{
    struct rts_thread *const thread = self;
    if (thread->ordinary) {
        rts_place_ordinary();
    }
    if (thread->cpu != RTS_CPU_ANY && thread->cpu != pinned && rts_place_pin(thread->cpu) != RTS_OK) {
        rts_port_fatal("a thread cannot be pinned to its CPU");
    }
    pinned = thread->cpu;
    if (thread->process == 0) {
        /* The maker may not have come to store it; both store the same. */
        __atomic_store_n(&thread->id, epicsThreadGetIdSelf(), __ATOMIC_RELAXED);
    }
    thread->entry(thread->arg);
    if (thread->ordinary) {
        thread->cpu_ns = rts_place_cpu_ns();
    }
}

rts_status rts_port_thread_create(struct rts_thread *thread, const rts_thread_attr *attr, void (*entry)(void *),
                                  void *arg)
{
    const bool own = attr->space == RTS_SPACE_OWN;
    if (attr->sched != RTS_SCHED_RT || (own && attr->priority != RTS_PRIORITY_LOAD)) {
        return RTS_UNSUPPORTED;
    }
    thread->process = 0;
    thread->cpu = attr->cpu == RTS_CPU_ANY ? pinned : attr->cpu;
    thread->ordinary = attr->priority == RTS_PRIORITY_LOAD;
    thread->entry = entry;
    thread->arg = arg;
    thread->cpu_ns = 0;
    if (own) {
        return rts_place_program_start(thread, begin);
    }
    epicsThreadOpts opts = EPICS_THREAD_OPTS_INIT;
    opts.priority = (unsigned)rts_port_priority_native(attr->priority, attr->sched);
    opts.stackSize = epicsThreadGetStackSize(epicsThreadStackSmall);
    opts.joinable = 1;
    epicsThreadId id = epicsThreadCreateOpt(attr->name, begin, thread, &opts);
    if (id == NULL) {
        return RTS_NO_MEMORY;
    }
    __atomic_store_n(&thread->id, id, __ATOMIC_RELAXED);
    return RTS_OK;
}

rts_status rts_port_thread_join(struct rts_thread *thread)
{
    if (thread->process != 0) {
        return rts_place_program_join(thread);
    }
    epicsThreadMustJoin(__atomic_load_n(&thread->id, __ATOMIC_RELAXED));
    return RTS_OK;
}

rts_status rts_port_yield(void)
{
    return RTS_UNSUPPORTED;
}

/* A thread cannot suspend another one: epicsThreadSuspendSelf is all that there is. */
rts_status rts_port_thread_suspend(struct rts_thread *thread)
{
    (void)thread;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_thread_suspend_self(struct rts_thread *self)
{
    (void)self;
    epicsThreadSuspendSelf();
    return RTS_OK;
}

rts_status rts_port_thread_resume(struct rts_thread *thread)
{
    epicsThreadResume(__atomic_load_n(&thread->id, __ATOMIC_RELAXED));
    return RTS_OK;
}

bool rts_port_thread_is_suspended(struct rts_thread *thread)
{
    return epicsThreadIsSuspended(__atomic_load_n(&thread->id, __ATOMIC_RELAXED)) != 0;
}

rts_status rts_port_switch_count(uint64_t *voluntary)
{
    (void)voluntary;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_thread_cpu_ns(struct rts_thread *thread, uint64_t *cpu_ns)
{
    *cpu_ns = thread->cpu_ns;
    return *cpu_ns != 0 ? RTS_OK : RTS_UNSUPPORTED;
}

uint32_t rts_port_cpu_count(void)
{
    return rts_place_cpu_count();
}

rts_status rts_port_cpu_resolve(int32_t wanted, int32_t *actual)
{
    return rts_place_cpu(wanted, actual);
}
