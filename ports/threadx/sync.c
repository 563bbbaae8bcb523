/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Semaphores and mutexes, all in memory that the caller owns.
 */
#include "threadx.h"

rts_status rts_port_semaphore_create(struct rts_semaphore *semaphore, uint32_t initial, uint32_t maximum)
{
    if (maximum == 0 || initial > maximum) {
        return RTS_INVALID;
    }
    return rts_threadx_status(tx_semaphore_create(&semaphore->semaphore, RTS_THREADX_NAME("semaphore"), initial));
}

rts_status rts_port_semaphore_take(struct rts_semaphore *semaphore)
{
    return rts_threadx_status(tx_semaphore_get(&semaphore->semaphore, TX_WAIT_FOREVER));
}

rts_status rts_port_semaphore_give(struct rts_semaphore *semaphore)
{
    return rts_threadx_status(tx_semaphore_put(&semaphore->semaphore)); /* it has no maximum */
}

rts_status rts_port_semaphore_give_isr(struct rts_semaphore *semaphore)
{
    return rts_threadx_status(tx_semaphore_put(&semaphore->semaphore));
}

void board_expiry_done(void)
{
    /* A switch was asked for by the put that made it needed. */
}

void rts_port_semaphore_destroy(struct rts_semaphore *semaphore)
{
    (void)tx_semaphore_delete(&semaphore->semaphore);
}

rts_status rts_port_mutex_create(struct rts_mutex *mutex, rts_protocol protocol)
{
    const UINT inherit = protocol == RTS_PROTOCOL_INHERIT ? TX_INHERIT : TX_NO_INHERIT;
    return rts_threadx_status(tx_mutex_create(&mutex->mutex, RTS_THREADX_NAME("mutex"), inherit));
}

rts_status rts_port_mutex_lock(struct rts_mutex *mutex)
{
    return rts_threadx_status(tx_mutex_get(&mutex->mutex, TX_WAIT_FOREVER));
}

rts_status rts_port_mutex_unlock(struct rts_mutex *mutex)
{
    return rts_threadx_status(tx_mutex_put(&mutex->mutex)); /* not the owner: an error */
}

void rts_port_mutex_destroy(struct rts_mutex *mutex)
{
    (void)tx_mutex_delete(&mutex->mutex);
}
