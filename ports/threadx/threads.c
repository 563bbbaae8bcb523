/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Threads: creation, end, suspension, sleep.
 */
#include "threadx.h"

int32_t rts_port_priority_native(rts_priority priority, rts_sched sched)
{
    (void)sched;
    static const uint8_t native[RTS_PRIORITY_COUNT] = {
        [RTS_PRIORITY_LOAD] = 6, [RTS_PRIORITY_LOW] = 4, [RTS_PRIORITY_MIDDLE] = 3,
        [RTS_PRIORITY_HIGH] = 2, [RTS_PRIORITY_TOP] = 1,
    };
    _Static_assert(RTS_THREADX_PRIORITY_ENGINE == 5u, "between the load and RTS_PRIORITY_LOW");
    return native[priority];
}

/* ---- a thread's life ------------------------------------------------------------------------------------------- */

_Static_assert(sizeof(ULONG) >= sizeof(void *), "a thread's one argument holds a pointer");

static void run(ULONG arg)
{
    struct rts_thread *const thread = (struct rts_thread *)(uintptr_t)arg;
    thread->entry(thread->arg);
    atomic_store(&thread->returned, true);
    if (atomic_load(&thread->awaited)) {
        (void)tx_semaphore_put(&thread->end);
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
    atomic_init(&thread->awaited, false);
    atomic_init(&thread->returned, false);
    thread->entry = entry;
    thread->arg = arg;
    const UINT priority = (UINT)rts_port_priority_native(attr->priority, attr->sched);
    const UINT made =
        tx_thread_create(&thread->thread, RTS_THREADX_NAME(attr->name), run, (ULONG)(uintptr_t)thread, thread->stack,
                         BOARD_STACK_BYTES, priority, priority, TX_NO_TIME_SLICE, TX_AUTO_START);
    if (made != TX_SUCCESS) {
        board_stack_give(thread->stack);
        return RTS_FAILED;
    }
    return RTS_OK;
}

rts_status rts_port_thread_join(struct rts_thread *thread)
{
    if (!atomic_load(&thread->returned)) {
        rts_status status = rts_threadx_status(tx_semaphore_create(&thread->end, RTS_THREADX_NAME("end"), 0));
        if (status != RTS_OK) {
            return status;
        }
        atomic_store(&thread->awaited, true);
        if (!atomic_load(&thread->returned)) {
            status = rts_threadx_status(tx_semaphore_get(&thread->end, TX_WAIT_FOREVER));
        }
        if (status != RTS_OK) {
            return status;
        }
    }
    /* A less urgent thread may have said that it returned before it is complete; ThreadX deletes complete ones only. */
    UINT deleted;
    while ((deleted = tx_thread_delete(&thread->thread)) == TX_DELETE_ERROR) {
        (void)tx_thread_sleep(1);
    }
    board_stack_give(thread->stack);
    if (atomic_load(&thread->awaited)) {
        (void)tx_semaphore_delete(&thread->end);
    }
    return rts_threadx_status(deleted);
}

/* ---- control of others ----------------------------------------------------------------------------------------- */

rts_status rts_port_yield(void)
{
    tx_thread_relinquish();
    return RTS_OK;
}

rts_status rts_port_thread_suspend(struct rts_thread *thread)
{
    return rts_threadx_status(tx_thread_suspend(&thread->thread));
}

rts_status rts_port_thread_suspend_self(struct rts_thread *self)
{
    return rts_threadx_status(tx_thread_suspend(&self->thread));
}

rts_status rts_port_thread_resume(struct rts_thread *thread)
{
    return rts_threadx_status(tx_thread_resume(&thread->thread));
}

bool rts_port_thread_is_suspended(struct rts_thread *thread)
{
    return *(volatile UINT *)&thread->thread.tx_thread_state == TX_SUSPENDED;
}

rts_status rts_port_sleep_until(rts_ticks when)
{
    for (;;) {
        const rts_ticks now = rts_clock_read();
        if ((int64_t)(when - now) <= 0) {
            return RTS_OK;
        }
        const rts_ticks whole = (when - now) * RTS_THREADX_TICK_HZ / board_clock_hz();
        const rts_ticks most = RTS_THREADX_TICK_HZ * UINT64_C(3600);
        (void)tx_thread_sleep((ULONG)(whole == 0 ? 1 : (whole > most ? most : whole)));
    }
}
