/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * [required] Threads, sleeping and rests. [optional] Yielding, suspension, counting.
 */
#include "rtstone/port.h"

/*
 * [required] Unlocks RTS_SERVICE_THREADS. The thread is ready when this returns; if its priority is higher than the
 * caller's it has already run. RTS_SPACE_OWN is RTS_UNSUPPORTED where there are no processes; RTS_SCHED_TS where there is no
 * time sharing.
 */
rts_status rts_port_thread_create(struct rts_thread *thread, const rts_thread_attr *attr, void (*entry)(void *),
                                  void *arg)
{
    (void)attr;
    thread->entry = entry;
    thread->arg = arg;
    return RTS_UNSUPPORTED;
}

/* [required] Where the idle task reclaims ended tasks (FreeRTOS), let it run here: this is outside every measured window. */
rts_status rts_port_thread_join(struct rts_thread *thread)
{
    (void)thread;
    return RTS_UNSUPPORTED;
}

/* [required] May be late, never early. */
rts_status rts_port_sleep_until(rts_ticks when)
{
    (void)when;
    return RTS_UNSUPPORTED;
}

/* [required] 0 and 0 unless the kernel punishes tasks that never sleep. */
void rts_port_duty(rts_ticks *run, rts_ticks *rest)
{
    *run = 0;
    *rest = 0;
}

/* [optional] RTS_SERVICE_YIELD */
rts_status rts_port_yield(void)
{
    return RTS_UNSUPPORTED;
}

#ifdef RTS_PORT_SLICES
/* [optional] RTS_PORT_SLICES, where the kernel's tick lets tasks of equal priority take turns */
void rts_port_slices(bool on)
{
    (void)on;
}
#endif

/* [optional] RTS_SERVICE_THREAD_SUSPEND; RTS_SERVICE_PROCESS_SUSPEND where only processes can be suspended */
rts_status rts_port_thread_suspend(struct rts_thread *thread)
{
    (void)thread;
    return RTS_UNSUPPORTED;
}

/* [optional] RTS_SERVICE_THREAD_SUSPEND_SELF, with resume; RTS_SERVICE_PROCESS_SUSPEND */
rts_status rts_port_thread_suspend_self(struct rts_thread *self)
{
    (void)self;
    return RTS_UNSUPPORTED;
}

/* [optional] as above */
rts_status rts_port_thread_resume(struct rts_thread *thread)
{
    (void)thread;
    return RTS_UNSUPPORTED;
}

/* [optional] as above; true at once where suspend takes effect before it returns */
bool rts_port_thread_is_suspended(struct rts_thread *thread)
{
    (void)thread;
    return false;
}

/* [optional] RTS_SERVICE_SWITCH_COUNT: a second witness that a ping really switched */
rts_status rts_port_switch_count(uint64_t *voluntary)
{
    (void)voluntary;
    return RTS_UNSUPPORTED;
}

/* [optional] RTS_SERVICE_CPU_TIME: a load reports the CPU time that it really got */
rts_status rts_port_thread_cpu_ns(struct rts_thread *thread, uint64_t *cpu_ns)
{
    (void)thread;
    (void)cpu_ns;
    return RTS_UNSUPPORTED;
}
