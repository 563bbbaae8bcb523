/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tasks: creation, end, time slices, and whether one is suspended.
 */
#include "freertos_rust.h"

int32_t rts_port_priority_native(rts_priority priority, rts_sched sched)
{
    (void)sched;
    static const uint8_t native[RTS_PRIORITY_COUNT] = {
        [RTS_PRIORITY_LOAD] = 0, [RTS_PRIORITY_LOW] = 1, [RTS_PRIORITY_MIDDLE] = 2,
        [RTS_PRIORITY_HIGH] = 3, [RTS_PRIORITY_TOP] = 4,
    };
    _Static_assert(RTS_RUST_PRIORITY_ENGINE == 1u, "above the load, not above RTS_PRIORITY_LOW");
    return native[priority];
}

/*
 * The idle task of this kernel reads once, before its loop, how many tasks deleted themselves (the compiler may move the load there: it is of a
 * plain variable), and so takes none of them back. One that ends suspends itself instead, and who joins it deletes it.
 */
static void run(void *arg)
{
    struct rts_thread *const thread = arg;
    thread->entry(thread->arg);
    taskENTER_CRITICAL();
    thread->ended = true;
    const TaskHandle_t joiner = thread->joiner;
    taskEXIT_CRITICAL();
    if (joiner != NULL) {
        xTaskNotifyGive(joiner);
    }
    vTaskSuspend(NULL);
}

rts_status rts_port_thread_create(struct rts_thread *thread, const rts_thread_attr *attr, void (*entry)(void *),
                                  void *arg)
{
    if (attr->space != RTS_SPACE_SHARED || attr->sched != RTS_SCHED_RT) {
        return RTS_UNSUPPORTED;
    }
    thread->joiner = NULL;
    thread->ended = false;
    thread->entry = entry;
    thread->arg = arg;
    const UBaseType_t priority = (UBaseType_t)rts_port_priority_native(attr->priority, attr->sched);
    const BaseType_t created = xTaskCreate(run, attr->name, RTS_RUST_THREAD_STACK_BYTES / sizeof(StackType_t), thread,
                                           priority, &thread->handle);
    return created == pdPASS ? RTS_OK : RTS_NO_MEMORY;
}

rts_status rts_port_thread_join(struct rts_thread *thread)
{
    taskENTER_CRITICAL();
    thread->joiner = xTaskGetCurrentTaskHandle();
    const bool wait = !thread->ended;
    taskEXIT_CRITICAL();
    if (wait) {
        (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    }
    vTaskDelete(thread->handle); /* it does nothing more, whether it is suspended yet or not */
    return RTS_OK;
}

void rts_port_slices(bool on)
{
    rts_rust_ticks(on);
}

bool rts_port_thread_is_suspended(struct rts_thread *thread)
{
    return rts_rust_is_suspended(thread->handle);
}
