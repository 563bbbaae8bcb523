/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tasks: creation, end, and whether one is suspended.
 */
#include "freertos.h"

int32_t rts_port_priority_native(rts_priority priority, rts_sched sched)
{
    (void)sched;
    static const uint8_t native[RTS_PRIORITY_COUNT] = {
        [RTS_PRIORITY_LOAD] = 1, [RTS_PRIORITY_LOW] = 3, [RTS_PRIORITY_MIDDLE] = 4,
        [RTS_PRIORITY_HIGH] = 5, [RTS_PRIORITY_TOP] = 6,
    };
    _Static_assert(RTS_FREERTOS_PRIORITY_ENGINE == 2u, "between the load and RTS_PRIORITY_LOW");
    return native[priority];
}

/* A task that deletes itself is taken back by the idle task; both are counted to know when the idle task is done. */
static volatile uint32_t ended;
static volatile uint32_t reclaimed;

void rts_freertos_reclaimed(void)
{
    reclaimed = reclaimed + 1u;
}

void vApplicationIdleHook(void);

static volatile bool idle_is_raised;

/** One turn of the idle task, which rts_port_thread_join may have raised: it frees deleted tasks before it comes here. */
void vApplicationIdleHook(void)
{
    if (idle_is_raised) { /* cheap, because the measured interrupt meets this code when the CPU is idle */
        idle_is_raised = false;
        vTaskPrioritySet(NULL, tskIDLE_PRIORITY);
    }
}

static void run(void *arg)
{
    struct rts_thread *const thread = arg;
    thread->entry(thread->arg);
    taskENTER_CRITICAL();
    ended = ended + 1u;
    thread->ended = true;
    const TaskHandle_t joiner = thread->joiner;
    taskEXIT_CRITICAL();
    if (joiner != NULL) {
        xTaskNotifyGive(joiner);
    }
    vTaskDelete(NULL);
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
    const BaseType_t created =
        xTaskCreate(run, attr->name, (configSTACK_DEPTH_TYPE)(RTS_FREERTOS_THREAD_STACK_BYTES / sizeof(StackType_t)),
                    thread, priority, &thread->handle);
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
    /*
     * The idle task would come to it, but not before every load rests: it is lent a high priority for one turn. The first turn may
     * begin behind the taking back, and a thread below this one may have said that it ended before it deleted itself.
     */
    for (uint32_t turn = 1; reclaimed != ended; turn++) {
        idle_is_raised = true;
        vTaskPrioritySet(xTaskGetIdleTaskHandle(), configMAX_PRIORITIES - 1);
        if (turn > 2u) {
            vTaskDelay(1);
        }
    }
    return RTS_OK;
}

bool rts_port_thread_is_suspended(struct rts_thread *thread)
{
    return eTaskGetState(thread->handle) == eSuspended;
}
