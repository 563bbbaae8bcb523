/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Semaphores and mutexes of threads, which are private to the process, and semaphores that processes share: the kernel looks these up by another,
 * longer way.
 */
#include <errno.h>
#include <limits.h>

#include "posix.h"

static rts_status create(struct rts_semaphore *semaphore, bool shared, uint32_t initial, uint32_t maximum)
{
    if (initial > maximum || maximum > INT_MAX) {
        return RTS_INVALID;
    }
    /* POSIX semaphores have no maximum of their own; a measurement that keeps its promise never sees the difference. */
    return sem_init(&semaphore->semaphore, shared ? 1 : 0, initial) == 0 ? RTS_OK : rts_system_status(errno);
}

rts_status rts_port_semaphore_create(struct rts_semaphore *semaphore, uint32_t initial, uint32_t maximum)
{
    return create(semaphore, false, initial, maximum);
}

rts_status rts_port_semaphore_create_shared(struct rts_semaphore *semaphore, uint32_t initial, uint32_t maximum)
{
    return rts_posix_is_shared(semaphore) ? create(semaphore, true, initial, maximum) : RTS_INVALID;
}

rts_status rts_port_semaphore_take(struct rts_semaphore *semaphore)
{
    while (sem_wait(&semaphore->semaphore) != 0) {
        if (errno != EINTR) {
            return rts_system_status(errno);
        }
    }
    return RTS_OK;
}

rts_status rts_port_semaphore_give(struct rts_semaphore *semaphore)
{
    return sem_post(&semaphore->semaphore) == 0 ? RTS_OK : rts_system_status(errno);
}

/* The handler is a thread here, so nothing is different for it. */
rts_status rts_port_semaphore_give_isr(struct rts_semaphore *semaphore)
{
    return rts_port_semaphore_give(semaphore);
}

void rts_port_semaphore_destroy(struct rts_semaphore *semaphore)
{
    (void)sem_destroy(&semaphore->semaphore);
}

rts_status rts_port_mutex_create(struct rts_mutex *mutex, rts_protocol protocol)
{
    pthread_mutexattr_t attr;
    int error = pthread_mutexattr_init(&attr);
    if (error != 0) {
        return rts_system_status(error);
    }
    error = pthread_mutexattr_setprotocol(&attr,
                                          protocol == RTS_PROTOCOL_INHERIT ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE);
    if (error == 0) {
        error = pthread_mutex_init(&mutex->mutex, &attr);
    }
    (void)pthread_mutexattr_destroy(&attr);
    return rts_system_status(error);
}

rts_status rts_port_mutex_lock(struct rts_mutex *mutex)
{
    return rts_system_status(pthread_mutex_lock(&mutex->mutex));
}

rts_status rts_port_mutex_unlock(struct rts_mutex *mutex)
{
    return rts_system_status(pthread_mutex_unlock(&mutex->mutex));
}

void rts_port_mutex_destroy(struct rts_mutex *mutex)
{
    (void)pthread_mutex_destroy(&mutex->mutex);
}
