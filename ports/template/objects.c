/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * [required] Semaphores. [optional] Mutexes, queues, memory blocks: each unlocks the measurements that name it.
 */
#include "rtstone/port.h"

/*
 * [required] RTS_SERVICE_SEMAPHORE. Support RTS_SERVICE_PING_SEMAPHORE too only if a give hands the semaphore to the waiter, so that two
 * tasks of one priority can ping through a single one. Else support it by a substitute (two semaphores) and name that substitute.
 */
rts_status rts_port_semaphore_create(struct rts_semaphore *semaphore, uint32_t initial, uint32_t maximum)
{
    (void)maximum;
    semaphore->count = initial;
    return RTS_UNSUPPORTED;
}

#ifdef RTS_PORT_SHARED_SEMAPHORES
/* [optional] Only where the kernel has another kind for processes: rtstone_port.h then defines RTS_PORT_SHARED_SEMAPHORES. */
rts_status rts_port_semaphore_create_shared(struct rts_semaphore *semaphore, uint32_t initial, uint32_t maximum)
{
    return rts_port_semaphore_create(semaphore, initial, maximum);
}
#endif

/* [required] */
rts_status rts_port_semaphore_take(struct rts_semaphore *semaphore)
{
    (void)semaphore;
    return RTS_UNSUPPORTED;
}

/* [required] */
rts_status rts_port_semaphore_give(struct rts_semaphore *semaphore)
{
    (void)semaphore;
    return RTS_UNSUPPORTED;
}

/* [optional] The one call that the measured ISR makes: it must switch to a woken task on the way out of the interrupt. */
rts_status rts_port_semaphore_give_isr(struct rts_semaphore *semaphore)
{
    (void)semaphore;
    return RTS_UNSUPPORTED;
}

/* [required] */
void rts_port_semaphore_destroy(struct rts_semaphore *semaphore)
{
    (void)semaphore;
}

/* [optional] RTS_SERVICE_MUTEX; with RTS_PROTOCOL_INHERIT also RTS_SERVICE_MUTEX_INHERIT */
rts_status rts_port_mutex_create(struct rts_mutex *mutex, rts_protocol protocol)
{
    (void)mutex;
    (void)protocol;
    return RTS_UNSUPPORTED;
}

/* [optional] */
rts_status rts_port_mutex_lock(struct rts_mutex *mutex)
{
    (void)mutex;
    return RTS_UNSUPPORTED;
}

/* [optional] */
rts_status rts_port_mutex_unlock(struct rts_mutex *mutex)
{
    (void)mutex;
    return RTS_UNSUPPORTED;
}

/* [optional] */
void rts_port_mutex_destroy(struct rts_mutex *mutex)
{
    (void)mutex;
}

/* [optional] RTS_SERVICE_QUEUE: messages are copied in and out */
rts_status rts_port_queue_create(struct rts_queue *queue, uint32_t depth, uint32_t message_bytes)
{
    (void)queue;
    (void)depth;
    (void)message_bytes;
    return RTS_UNSUPPORTED;
}

/* [optional] */
rts_status rts_port_queue_send(struct rts_queue *queue, const void *message)
{
    (void)queue;
    (void)message;
    return RTS_UNSUPPORTED;
}

/* [optional] RTS_SERVICE_QUEUE_URGENT: to the head; if it only approximates last in, first out, its substitute states that */
rts_status rts_port_queue_send_urgent(struct rts_queue *queue, const void *message)
{
    (void)queue;
    (void)message;
    return RTS_UNSUPPORTED;
}

/* [optional] */
rts_status rts_port_queue_receive(struct rts_queue *queue, void *message)
{
    (void)queue;
    (void)message;
    return RTS_UNSUPPORTED;
}

/* [optional] */
void rts_port_queue_destroy(struct rts_queue *queue)
{
    (void)queue;
}

/* [optional] RTS_SERVICE_BLOCKS: a partition; if a heap stands in for one, its substitute states that */
rts_status rts_port_blocks_create(struct rts_blocks *blocks, uint32_t count, uint32_t bytes)
{
    (void)blocks;
    (void)count;
    (void)bytes;
    return RTS_UNSUPPORTED;
}

/* [optional] */
rts_status rts_port_block_alloc(struct rts_blocks *blocks, void **block)
{
    (void)blocks;
    (void)block;
    return RTS_UNSUPPORTED;
}

/* [optional] */
rts_status rts_port_block_free(struct rts_blocks *blocks, void *block)
{
    (void)blocks;
    (void)block;
    return RTS_UNSUPPORTED;
}

/* [optional] */
void rts_port_blocks_destroy(struct rts_blocks *blocks)
{
    (void)blocks;
}
