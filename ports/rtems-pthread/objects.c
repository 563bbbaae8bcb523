/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Threads, semaphores, mutexes and queues: RTEMS' pthreads, called as ports/posix calls Linux'.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>

#include "../rtems/rtems_port.h"

static rts_status status_of(int error)
{
    if (error == 0) {
        return RTS_OK;
    }
    return error == EAGAIN || error == ENOMEM || error == ENOSPC ? RTS_NO_MEMORY : RTS_BROKEN;
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

int32_t rts_port_priority_native(rts_priority priority, rts_sched sched)
{
    (void)sched;
    static const uint8_t native[RTS_PRIORITY_COUNT] = {
        [RTS_PRIORITY_LOAD] = 195, [RTS_PRIORITY_LOW] = 215, [RTS_PRIORITY_MIDDLE] = 225,
        [RTS_PRIORITY_HIGH] = 235, [RTS_PRIORITY_TOP] = 245,
    };
    _Static_assert(255u - RTS_RTEMS_PRIORITY_ENGINE == 205u, "between the load and RTS_PRIORITY_LOW");
    return native[priority];
}

static void *begin(void *self)
{
    struct rts_thread *const thread = self;
    thread->entry(thread->arg);
    return NULL;
}

rts_status rts_port_thread_create(struct rts_thread *thread, const rts_thread_attr *attr, void (*entry)(void *),
                                  void *arg)
{
    if (attr->space != RTS_SPACE_SHARED || attr->sched != RTS_SCHED_RT) {
        return RTS_UNSUPPORTED;
    }
    thread->entry = entry;
    thread->arg = arg;
    const struct sched_param param = {.sched_priority = (int)rts_port_priority_native(attr->priority, attr->sched)};
    pthread_attr_t made;
    int error = pthread_attr_init(&made);
    if (error == 0) {
        error = pthread_attr_setstacksize(&made, RTS_RTEMS_STACK_BYTES);
    }
    if (error == 0) {
        (void)pthread_attr_setinheritsched(&made, PTHREAD_EXPLICIT_SCHED);
        (void)pthread_attr_setschedpolicy(&made, SCHED_FIFO);
        (void)pthread_attr_setschedparam(&made, &param);
        error = pthread_create(&thread->handle, &made, begin, thread);
    }
    return status_of(error);
}

rts_status rts_port_thread_join(struct rts_thread *thread)
{
    return status_of(pthread_join(thread->handle, NULL));
}

rts_status rts_port_yield(void)
{
    return status_of(sched_yield() == 0 ? 0 : errno);
}

/* ---- semaphores and mutexes ------------------------------------------------------------------------------------- */

rts_status rts_port_semaphore_create(struct rts_semaphore *semaphore, uint32_t initial, uint32_t maximum)
{
    if (maximum == 0 || initial > maximum) {
        return RTS_INVALID;
    }
    return status_of(sem_init(&semaphore->semaphore, 0, initial) == 0 ? 0 : errno);
}

rts_status rts_port_semaphore_take(struct rts_semaphore *semaphore)
{
    return sem_wait(&semaphore->semaphore) == 0 ? RTS_OK : status_of(errno);
}

rts_status rts_port_semaphore_give(struct rts_semaphore *semaphore)
{
    return sem_post(&semaphore->semaphore) == 0 ? RTS_OK : status_of(errno); /* it has no maximum */
}

rts_status rts_port_semaphore_give_isr(struct rts_semaphore *semaphore)
{
    return sem_post(&semaphore->semaphore) == 0 ? RTS_OK : RTS_BROKEN; /* RTEMS allows it in a handler */
}

void board_expiry_done(void)
{
    /* A switch was asked for by the post that made it needed. */
}

void rts_port_semaphore_destroy(struct rts_semaphore *semaphore)
{
    (void)sem_destroy(&semaphore->semaphore);
}

rts_status rts_port_mutex_create(struct rts_mutex *mutex, rts_protocol protocol)
{
    pthread_mutexattr_t attr;
    int error = pthread_mutexattr_init(&attr);
    if (error == 0) {
        error = pthread_mutexattr_setprotocol(&attr, protocol == RTS_PROTOCOL_INHERIT ? PTHREAD_PRIO_INHERIT
                                                                                      : PTHREAD_PRIO_NONE);
    }
    if (error == 0) {
        error = pthread_mutex_init(&mutex->mutex, &attr);
    }
    return status_of(error);
}

rts_status rts_port_mutex_lock(struct rts_mutex *mutex)
{
    return status_of(pthread_mutex_lock(&mutex->mutex));
}

rts_status rts_port_mutex_unlock(struct rts_mutex *mutex)
{
    return status_of(pthread_mutex_unlock(&mutex->mutex));
}

void rts_port_mutex_destroy(struct rts_mutex *mutex)
{
    (void)pthread_mutex_destroy(&mutex->mutex);
}

/* ---- queues: rising message priorities stand in for the head, last in first out --------------------------------- */

rts_status rts_port_queue_create(struct rts_queue *queue, uint32_t depth, uint32_t message_bytes)
{
    if (depth == 0 || message_bytes == 0 || message_bytes > RTS_MESSAGE_BYTES_MAX) {
        return RTS_INVALID;
    }
    if (depth > RTS_QUEUE_DEPTH) {
        return RTS_NO_MEMORY;
    }
    static _Atomic unsigned serial;
    const unsigned number = atomic_fetch_add(&serial, 1u);
    const char name[] = {'/', 'q', (char)('a' + number % 16u), (char)('a' + number / 16u % 16u), '\0'};
    struct mq_attr attr = {.mq_maxmsg = (long)depth, .mq_msgsize = (long)message_bytes};
    queue->message_bytes = message_bytes;
    queue->urgent = 0;
    queue->descriptor = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
    if (queue->descriptor == (mqd_t)-1) {
        return status_of(errno);
    }
    (void)mq_unlink(name);
    return RTS_OK;
}

rts_status rts_port_queue_send(struct rts_queue *queue, const void *message)
{
    return mq_send(queue->descriptor, message, queue->message_bytes, 0) == 0 ? RTS_OK : status_of(errno);
}

rts_status rts_port_queue_send_urgent(struct rts_queue *queue, const void *message)
{
    const unsigned priority = __atomic_add_fetch(&queue->urgent, 1u, __ATOMIC_ACQ_REL);
    return mq_send(queue->descriptor, message, queue->message_bytes, priority) == 0 ? RTS_OK : status_of(errno);
}

rts_status rts_port_queue_receive(struct rts_queue *queue, void *message)
{
    unsigned priority = 0;
    const ssize_t got = mq_receive(queue->descriptor, message, queue->message_bytes, &priority);
    if (got < 0) {
        return status_of(errno);
    }
    if (priority > 0) {
        /* What is still there is below it. Only if no later urgent one was sent meanwhile. */
        unsigned expected = priority;
        (void)__atomic_compare_exchange_n(&queue->urgent, &expected, priority - 1, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED);
    }
    return (uint32_t)got == queue->message_bytes ? RTS_OK : RTS_BROKEN;
}

void rts_port_queue_destroy(struct rts_queue *queue)
{
    (void)mq_close(queue->descriptor);
}
