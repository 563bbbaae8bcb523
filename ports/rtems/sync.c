/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Semaphores and mutexes: both are RTEMS' semaphores, of the kinds counting, and binary with an owner.
 */
#include "rtems_port.h"

rts_status rts_port_semaphore_create(struct rts_semaphore *semaphore, uint32_t initial, uint32_t maximum)
{
    if (maximum == 0 || initial > maximum) {
        return RTS_INVALID;
    }
    return rts_rtems_status(rtems_semaphore_create(RTS_RTEMS_NAME('s', 'e', 'm'), initial,
                                                   RTEMS_COUNTING_SEMAPHORE | RTEMS_FIFO, 0, &semaphore->id));
}

rts_status rts_port_semaphore_take(struct rts_semaphore *semaphore)
{
    return rts_rtems_status(rtems_semaphore_obtain(semaphore->id, RTEMS_WAIT, RTEMS_NO_TIMEOUT));
}

rts_status rts_port_semaphore_give(struct rts_semaphore *semaphore)
{
    return rts_rtems_status(rtems_semaphore_release(semaphore->id)); /* it has no maximum */
}

rts_status rts_port_semaphore_give_isr(struct rts_semaphore *semaphore)
{
    return rts_rtems_status(rtems_semaphore_release(semaphore->id));
}

void board_expiry_done(void)
{
    /* A switch was asked for by the release that made it needed. */
}

void rts_port_semaphore_destroy(struct rts_semaphore *semaphore)
{
    (void)rtems_semaphore_delete(semaphore->id);
}

rts_status rts_port_mutex_create(struct rts_mutex *mutex, rts_protocol protocol)
{
    const rtems_attribute inherit =
        protocol == RTS_PROTOCOL_INHERIT ? RTEMS_INHERIT_PRIORITY : RTEMS_DEFAULT_ATTRIBUTES;
    return rts_rtems_status(rtems_semaphore_create(RTS_RTEMS_NAME('m', 't', 'x'), 1,
                                                   RTEMS_BINARY_SEMAPHORE | RTEMS_PRIORITY | inherit, 0, &mutex->id));
}

rts_status rts_port_mutex_lock(struct rts_mutex *mutex)
{
    return rts_rtems_status(rtems_semaphore_obtain(mutex->id, RTEMS_WAIT, RTEMS_NO_TIMEOUT));
}

rts_status rts_port_mutex_unlock(struct rts_mutex *mutex)
{
    return rts_rtems_status(rtems_semaphore_release(mutex->id)); /* not the owner: an error */
}

void rts_port_mutex_destroy(struct rts_mutex *mutex)
{
    (void)rtems_semaphore_delete(mutex->id);
}
