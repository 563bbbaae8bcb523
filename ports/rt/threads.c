/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tasks: creation, end, sleep.
 */
#include "rt_port.h"

int32_t rts_port_priority_native(rts_priority priority, rts_sched sched)
{
    (void)sched;
    static const uint8_t native[RTS_PRIORITY_COUNT] = {
        [RTS_PRIORITY_LOAD] = 6, [RTS_PRIORITY_LOW] = 4, [RTS_PRIORITY_MIDDLE] = 3,
        [RTS_PRIORITY_HIGH] = 2, [RTS_PRIORITY_TOP] = 1,
    };
    _Static_assert(RTS_RT_PRIORITY_ENGINE == 5u, "between the load and RTS_PRIORITY_LOW");
    return native[priority];
}

/* ---- a task's life --------------------------------------------------------------------------------------------- */

static void run(uintptr_t arg)
{
    struct rts_thread *const thread = (struct rts_thread *)arg;
    thread->entry(thread->arg);
    atomic_store(&thread->returned, true);
    if (atomic_load(&thread->awaited)) {
        rt_sem_post_from_task(&thread->end);
    }
}

rts_status rts_port_thread_create(struct rts_thread *thread, const rts_thread_attr *attr, void (*entry)(void *),
                                  void *arg)
{
    if (attr->space != RTS_SPACE_SHARED || attr->sched != RTS_SCHED_RT) {
        return RTS_UNSUPPORTED;
    }
    thread->stack = board_stack_take();
    if (thread->stack == NULL) {
        return RTS_NO_MEMORY;
    }
    const uint32_t priority = (uint32_t)rts_port_priority_native(attr->priority, attr->sched);
    struct rt_task *const task = &thread->task;
    *task = (struct rt_task)RT_TASK_INIT(*task, attr->name, priority);
    task->state = RT_TASK_STATE_EXITED;
    task->fn.with_arg = run;
    task->arg = (uintptr_t)thread;
    task->stack = thread->stack;
    task->stack_size = BOARD_STACK_BYTES;
    thread->end = (struct rt_sem)RT_SEM_INIT_BINARY(thread->end);
    atomic_init(&thread->awaited, false);
    atomic_init(&thread->returned, false);
    thread->entry = entry;
    thread->arg = arg;
    if (!rt_task_pend_restart(task)) {
        return RTS_FAILED;
    }
    rts_rt_pending_done();
    return RTS_OK;
}

rts_status rts_port_thread_join(struct rts_thread *thread)
{
    atomic_store(&thread->awaited, true);
    if (!atomic_load(&thread->returned)) {
        rt_sem_wait(&thread->end);
    }
    /* A less urgent task may have said that it returned before it has exited. */
    while (*(volatile enum rt_task_state *)&thread->task.state != RT_TASK_STATE_EXITED) {
        rt_task_sleep(1);
    }
    board_stack_give(thread->stack);
    return RTS_OK;
}

rts_status rts_port_yield(void)
{
    rt_task_yield();
    return RTS_OK;
}

void rts_port_slices(bool on)
{
    rts_rt_ticks(on);
}

rts_status rts_port_sleep_until(rts_ticks when)
{
    for (;;) {
        const rts_ticks now = rts_clock_read();
        if ((int64_t)(when - now) <= 0) {
            return RTS_OK;
        }
        const rts_ticks whole = (when - now) * RTS_RT_TICK_HZ / board_clock_hz();
        const rts_ticks most = RTS_RT_TICK_HZ * UINT64_C(3600);
        rt_task_sleep((unsigned long)(whole == 0 ? 1 : (whole > most ? most : whole)));
    }
}
