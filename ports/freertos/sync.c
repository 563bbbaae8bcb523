/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Semaphores and mutexes, all in memory that the caller owns.
 */
#include "freertos.h"

rts_status rts_port_semaphore_create(struct rts_semaphore *semaphore, uint32_t initial, uint32_t maximum)
{
    if (maximum == 0 || initial > maximum) {
        return RTS_INVALID;
    }
    semaphore->handle = xSemaphoreCreateCountingStatic(maximum, initial, &semaphore->memory);
    return semaphore->handle != NULL ? RTS_OK : RTS_FAILED;
}

rts_status rts_port_semaphore_take(struct rts_semaphore *semaphore)
{
    return xSemaphoreTake(semaphore->handle, portMAX_DELAY) == pdTRUE ? RTS_OK : RTS_BROKEN;
}

rts_status rts_port_semaphore_give(struct rts_semaphore *semaphore)
{
    return xSemaphoreGive(semaphore->handle) == pdTRUE ? RTS_OK : RTS_BROKEN; /* it was full */
}

static BaseType_t woken; /* whether this expiry made a task ready that must run at once */

rts_status rts_port_semaphore_give_isr(struct rts_semaphore *semaphore)
{
    return xSemaphoreGiveFromISR(semaphore->handle, &woken) == pdTRUE ? RTS_OK : RTS_BROKEN;
}

void board_expiry_done(void)
{
    const BaseType_t now = woken;
    woken = pdFALSE;
    portYIELD_FROM_ISR(now);
}

void rts_port_semaphore_destroy(struct rts_semaphore *semaphore)
{
    vSemaphoreDelete(semaphore->handle);
}

rts_status rts_port_mutex_create(struct rts_mutex *mutex, rts_protocol protocol)
{
    if (protocol == RTS_PROTOCOL_INHERIT) {
        mutex->handle = xSemaphoreCreateMutexStatic(&mutex->memory);
    } else {
        mutex->handle = xSemaphoreCreateBinaryStatic(&mutex->memory);
        (void)xSemaphoreGive(mutex->handle);
    }
    return mutex->handle != NULL ? RTS_OK : RTS_FAILED;
}

rts_status rts_port_mutex_lock(struct rts_mutex *mutex)
{
    return xSemaphoreTake(mutex->handle, portMAX_DELAY) == pdTRUE ? RTS_OK : RTS_BROKEN;
}

rts_status rts_port_mutex_unlock(struct rts_mutex *mutex)
{
    return xSemaphoreGive(mutex->handle) == pdTRUE ? RTS_OK : RTS_BROKEN; /* not the owner */
}

void rts_port_mutex_destroy(struct rts_mutex *mutex)
{
    vSemaphoreDelete(mutex->handle);
}
