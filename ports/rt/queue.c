/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Queues: rt copies messages in and out, and sends to the tail.
 */
#include "rt_port.h"

_Static_assert(sizeof((struct rts_queue *)0)->data == (size_t)RTS_QUEUE_DEPTH * RTS_MESSAGE_BYTES_MAX &&
                   sizeof((struct rts_queue *)0)->slots == RTS_QUEUE_DEPTH,
               "the queue's memory holds the deepest queue of the largest messages");

rts_status rts_port_queue_create(struct rts_queue *queue, uint32_t depth, uint32_t message_bytes)
{
    if (depth == 0 || message_bytes == 0 || message_bytes > RTS_MESSAGE_BYTES_MAX) {
        return RTS_INVALID;
    }
    if (depth > RTS_QUEUE_DEPTH) {
        return RTS_NO_MEMORY;
    }
    for (uint32_t i = 0; i < depth; i++) {
        atomic_init(&queue->slots[i], 0);
    }
    queue->queue = (struct rt_queue)RT_QUEUE_INIT(queue->queue, uint8_t, depth, queue->slots, queue->data);
    queue->queue.elem_size = message_bytes;
    return RTS_OK;
}

rts_status rts_port_queue_send(struct rts_queue *queue, const void *message)
{
    rt_queue_push(&queue->queue, message);
    return RTS_OK;
}

rts_status rts_port_queue_receive(struct rts_queue *queue, void *message)
{
    rt_queue_pop(&queue->queue, message);
    return RTS_OK;
}

void rts_port_queue_destroy(struct rts_queue *queue)
{
    (void)queue;
}
