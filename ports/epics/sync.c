/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * epicsEvent and epicsMutex.
 */
#include "epics.h"

static rts_status done(epicsEventStatus status)
{
    return status == epicsEventOK ? RTS_OK : RTS_FAILED;
}

rts_status rts_port_semaphore_create(struct rts_semaphore *semaphore, uint32_t initial, uint32_t maximum)
{
    if (initial > maximum || maximum == 0) {
        return RTS_INVALID;
    }
    semaphore->maximum = maximum;
    semaphore->count = initial;
    semaphore->event = epicsEventCreate(initial > 0 ? epicsEventFull : epicsEventEmpty);
    return semaphore->event != NULL ? RTS_OK : RTS_NO_MEMORY;
}

/** Takes one from the counter if it is above 0. If more remain, wakes another waiting thread. */
static bool take_counted(struct rts_semaphore *semaphore)
{
    uint32_t count = atomic_load(&semaphore->count);
    while (count > 0) {
        if (atomic_compare_exchange_weak(&semaphore->count, &count, count - 1u)) {
            if (count > 1u) {
                (void)epicsEventTrigger(semaphore->event);
            }
            return true;
        }
    }
    return false;
}

rts_status rts_port_semaphore_take(struct rts_semaphore *semaphore)
{
    if (semaphore->maximum == 1u) {
        return done(epicsEventWait(semaphore->event));
    }
    rts_status status = RTS_OK;
    while (status == RTS_OK && !take_counted(semaphore)) {
        status = done(epicsEventWait(semaphore->event));
    }
    return status;
}

rts_status rts_port_semaphore_give(struct rts_semaphore *semaphore)
{
    if (semaphore->maximum > 1u) {
        (void)atomic_fetch_add(&semaphore->count, 1u);
    }
    return done(epicsEventTrigger(semaphore->event));
}

/* The handler is a thread here, so nothing is different for it. */
rts_status rts_port_semaphore_give_isr(struct rts_semaphore *semaphore)
{
    return rts_port_semaphore_give(semaphore);
}

void rts_port_semaphore_destroy(struct rts_semaphore *semaphore)
{
    epicsEventDestroy(semaphore->event);
}

rts_status rts_port_mutex_create(struct rts_mutex *mutex, rts_protocol protocol)
{
    (void)protocol; /* libCom decides: it inherits wherever the system can */
    mutex->mutex = epicsMutexCreate();
    return mutex->mutex != NULL ? RTS_OK : RTS_NO_MEMORY;
}

rts_status rts_port_mutex_lock(struct rts_mutex *mutex)
{
    return epicsMutexLock(mutex->mutex) == epicsMutexLockOK ? RTS_OK : RTS_FAILED;
}

rts_status rts_port_mutex_unlock(struct rts_mutex *mutex)
{
    epicsMutexUnlock(mutex->mutex);
    return RTS_OK;
}

void rts_port_mutex_destroy(struct rts_mutex *mutex)
{
    epicsMutexDestroy(mutex->mutex);
}
