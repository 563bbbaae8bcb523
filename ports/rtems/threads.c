/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tasks: creation, end, suspension.
 */
#include "rtems_port.h"

int32_t rts_port_priority_native(rts_priority priority, rts_sched sched)
{
    (void)sched;
    static const uint8_t native[RTS_PRIORITY_COUNT] = {
        [RTS_PRIORITY_LOAD] = 60, [RTS_PRIORITY_LOW] = 40, [RTS_PRIORITY_MIDDLE] = 30,
        [RTS_PRIORITY_HIGH] = 20, [RTS_PRIORITY_TOP] = 10,
    };
    _Static_assert(RTS_RTEMS_PRIORITY_ENGINE == 50u, "between the load and RTS_PRIORITY_LOW");
    return native[priority];
}

/* ---- a task's life --------------------------------------------------------------------------------------------- */

_Static_assert(sizeof(rtems_task_argument) >= sizeof(void *), "a task's one argument holds a pointer");

static rtems_task run(rtems_task_argument arg)
{
    struct rts_thread *const thread = (struct rts_thread *)arg;
    thread->entry(thread->arg);
    atomic_store(&thread->returned, true);
    if (atomic_load(&thread->awaited)) {
        (void)rtems_semaphore_release(thread->end);
    }
    rtems_task_exit();
}

rts_status rts_port_thread_create(struct rts_thread *thread, const rts_thread_attr *attr, void (*entry)(void *),
                                  void *arg)
{
    if (attr->space != RTS_SPACE_SHARED || attr->sched != RTS_SCHED_RT) {
        return RTS_UNSUPPORTED;
    }
    atomic_init(&thread->awaited, false);
    atomic_init(&thread->returned, false);
    thread->entry = entry;
    thread->arg = arg;
    rtems_status_code made = rtems_task_create(
        RTS_RTEMS_NAME('t', 's', 'k'), (rtems_task_priority)rts_port_priority_native(attr->priority, attr->sched),
        RTS_RTEMS_STACK_BYTES, RTEMS_DEFAULT_MODES, RTEMS_DEFAULT_ATTRIBUTES, &thread->id);
    if (made == RTEMS_SUCCESSFUL) {
        made = rtems_task_start(thread->id, run, (rtems_task_argument)thread);
    }
    return rts_rtems_status(made);
}

rts_status rts_port_thread_join(struct rts_thread *thread)
{
    if (!atomic_load(&thread->returned)) {
        rts_status status = rts_rtems_status(rtems_semaphore_create(
            RTS_RTEMS_NAME('e', 'n', 'd'), 0, RTEMS_COUNTING_SEMAPHORE | RTEMS_FIFO, 0, &thread->end));
        if (status != RTS_OK) {
            return status;
        }
        atomic_store(&thread->awaited, true);
        if (!atomic_load(&thread->returned)) {
            status = rts_rtems_status(rtems_semaphore_obtain(thread->end, RTEMS_WAIT, RTEMS_NO_TIMEOUT));
        }
        if (status != RTS_OK) {
            return status;
        }
    }
    /* A less urgent task may have said that it returned before it is gone. */
    while (rtems_task_is_suspended(thread->id) != RTEMS_INVALID_ID) {
        (void)rtems_task_wake_after(1);
    }
    return atomic_load(&thread->awaited) ? rts_rtems_status(rtems_semaphore_delete(thread->end)) : RTS_OK;
}

/* ---- control of others ----------------------------------------------------------------------------------------- */

rts_status rts_port_yield(void)
{
    return rts_rtems_status(rtems_task_wake_after(RTEMS_YIELD_PROCESSOR));
}

rts_status rts_port_thread_suspend(struct rts_thread *thread)
{
    return rts_rtems_status(rtems_task_suspend(thread->id));
}

rts_status rts_port_thread_suspend_self(struct rts_thread *self)
{
    (void)self;
    return rts_rtems_status(rtems_task_suspend(RTEMS_SELF));
}

rts_status rts_port_thread_resume(struct rts_thread *thread)
{
    return rts_rtems_status(rtems_task_resume(thread->id));
}

bool rts_port_thread_is_suspended(struct rts_thread *thread)
{
    return rtems_task_is_suspended(thread->id) == RTEMS_ALREADY_SUSPENDED;
}
