/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Semaphores and mutexes, all in memory that the caller owns.
 */
#include <limits.h>

#include "rt_port.h"

rts_status rts_port_semaphore_create(struct rts_semaphore *semaphore, uint32_t initial, uint32_t maximum)
{
    if (maximum == 0 || initial > maximum || maximum > INT_MAX) {
        return RTS_INVALID;
    }
    semaphore->sem = (struct rt_sem)RT_SEM_INIT_MAX(semaphore->sem, (int)initial, (int)maximum);
    return RTS_OK;
}

rts_status rts_port_semaphore_take(struct rts_semaphore *semaphore)
{
    rt_sem_wait(&semaphore->sem);
    return RTS_OK;
}

rts_status rts_port_semaphore_give(struct rts_semaphore *semaphore)
{
    rt_sem_post_from_task(&semaphore->sem); /* one that is full stays so, and does not say it */
    return RTS_OK;
}

rts_status rts_port_semaphore_give_isr(struct rts_semaphore *semaphore)
{
    rt_sem_post_from_interrupt(&semaphore->sem);
    return RTS_OK;
}

void board_expiry_done(void)
{
    /* A switch was asked for by the post that made it needed. */
}

void rts_port_semaphore_destroy(struct rts_semaphore *semaphore)
{
    (void)semaphore; /* rt keeps no list of them */
}

rts_status rts_port_mutex_create(struct rts_mutex *mutex, rts_protocol protocol)
{
    mutex->inherits = protocol == RTS_PROTOCOL_INHERIT;
    mutex->mutex = (struct rt_mutex)RT_MUTEX_INIT(mutex->mutex);
    mutex->sem = (struct rt_sem)RT_SEM_INIT_MAX(mutex->sem, 1, 1);
    return RTS_OK;
}

rts_status rts_port_mutex_lock(struct rts_mutex *mutex)
{
    if (mutex->inherits) {
        rt_mutex_lock(&mutex->mutex);
    } else {
        rt_sem_wait(&mutex->sem);
    }
    return RTS_OK;
}

rts_status rts_port_mutex_unlock(struct rts_mutex *mutex)
{
    if (mutex->inherits) {
        rt_mutex_unlock(&mutex->mutex);
    } else {
        rt_sem_post_from_task(&mutex->sem);
    }
    return RTS_OK;
}

void rts_port_mutex_destroy(struct rts_mutex *mutex)
{
    (void)mutex;
}
