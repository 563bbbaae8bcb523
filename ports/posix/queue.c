/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Queues: POSIX message queues without a name, where message priorities stand in for the head of the queue; or, for the measurements of those,
 * System V's.
 *
 * POSIX delivers the highest priority first and equal ones in order of arrival. Ordinary messages have priority 0; an urgent
 * one gets a priority above every urgent one that waits, so that it is the next to be received: last in, first out.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "posix.h"

rts_status rts_port_queue_create(struct rts_queue *queue, uint32_t depth, uint32_t message_bytes)
{
    static unsigned serial;
    if (depth == 0 || message_bytes == 0 || message_bytes > RTS_MESSAGE_BYTES_MAX) {
        return RTS_INVALID;
    }
    queue->message_bytes = message_bytes;
    queue->urgent = 0;
    queue->system_v = rts_system_queues;
    if (queue->system_v) {
        return rts_system_queue_create(&queue->identifier);
    }
    char name[48];
    (void)snprintf(name, sizeof name, "/rtstone-%ld-%u", (long)getpid(),
                   __atomic_fetch_add(&serial, 1u, __ATOMIC_RELAXED));
    struct mq_attr attr = {.mq_maxmsg = (long)depth, .mq_msgsize = (long)message_bytes};
    queue->descriptor = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
    if (queue->descriptor == (mqd_t)-1) {
        return rts_system_status(errno);
    }
    (void)mq_unlink(name); /* nothing is left behind, however the engine ends */
    return RTS_OK;
}

static rts_status send(struct rts_queue *queue, const void *message, unsigned priority)
{
    if (queue->system_v) {
        return rts_system_queue_send(queue->identifier, message, queue->message_bytes, priority);
    }
    while (mq_send(queue->descriptor, message, queue->message_bytes, priority) != 0) {
        if (errno != EINTR) {
            return rts_system_status(errno);
        }
    }
    return RTS_OK;
}

rts_status rts_port_queue_send(struct rts_queue *queue, const void *message)
{
    return send(queue, message, 0);
}

rts_status rts_port_queue_send_urgent(struct rts_queue *queue, const void *message)
{
    return send(queue, message, __atomic_add_fetch(&queue->urgent, 1u, __ATOMIC_ACQ_REL));
}

rts_status rts_port_queue_receive(struct rts_queue *queue, void *message)
{
    unsigned priority = 0;
    ssize_t got;
    if (queue->system_v) {
        const rts_status status = rts_system_queue_receive(queue->identifier, message, queue->message_bytes, &priority);
        if (status != RTS_OK) {
            return status;
        }
        got = (ssize_t)queue->message_bytes;
    } else {
        do {
            got = mq_receive(queue->descriptor, message, queue->message_bytes, &priority);
        } while (got < 0 && errno == EINTR);
        if (got < 0) {
            return rts_system_status(errno);
        }
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
    if (queue->system_v) {
        rts_system_queue_destroy(queue->identifier);
    } else {
        (void)mq_close(queue->descriptor);
    }
}
