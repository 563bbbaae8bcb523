/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Queues: ThreadX copies messages of 1 to 16 words in and out, and sends to either end.
 */
#include "threadx.h"

_Static_assert(sizeof((struct rts_queue *)0)->messages == (size_t)RTS_QUEUE_DEPTH * RTS_MESSAGE_BYTES_MAX,
               "the queue's memory holds the deepest queue of the largest messages");
_Static_assert(RTS_MESSAGE_ALIGNMENT % sizeof(ULONG) == 0, "a message is whole words where words lie");

rts_status rts_port_queue_create(struct rts_queue *queue, uint32_t depth, uint32_t message_bytes)
{
    if (depth == 0 || message_bytes == 0 || message_bytes > RTS_MESSAGE_BYTES_MAX ||
        message_bytes % RTS_MESSAGE_ALIGNMENT != 0) {
        return RTS_INVALID;
    }
    if (depth > RTS_QUEUE_DEPTH) {
        return RTS_NO_MEMORY;
    }
    const UINT words = message_bytes / sizeof(ULONG);
    return rts_threadx_status(tx_queue_create(&queue->queue, RTS_THREADX_NAME("queue"), words, queue->messages,
                                              (ULONG)depth * message_bytes));
}

rts_status rts_port_queue_send(struct rts_queue *queue, const void *message)
{
    return rts_threadx_status(tx_queue_send(&queue->queue, (void *)(uintptr_t)message, TX_WAIT_FOREVER));
}

rts_status rts_port_queue_send_urgent(struct rts_queue *queue, const void *message)
{
    return rts_threadx_status(tx_queue_front_send(&queue->queue, (void *)(uintptr_t)message, TX_WAIT_FOREVER));
}

rts_status rts_port_queue_receive(struct rts_queue *queue, void *message)
{
    return rts_threadx_status(tx_queue_receive(&queue->queue, message, TX_WAIT_FOREVER));
}

void rts_port_queue_destroy(struct rts_queue *queue)
{
    (void)tx_queue_delete(&queue->queue);
}
