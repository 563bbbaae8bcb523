/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * epicsMessageQueue. It has no priorities and no send to the head.
 */
#include "epics.h"

rts_status rts_port_queue_create(struct rts_queue *queue, uint32_t depth, uint32_t message_bytes)
{
    if (depth == 0 || message_bytes == 0 || message_bytes > RTS_MESSAGE_BYTES_MAX) {
        return RTS_INVALID;
    }
    queue->message_bytes = message_bytes;
    queue->queue = epicsMessageQueueCreate(depth, message_bytes);
    return queue->queue != NULL ? RTS_OK : RTS_NO_MEMORY;
}

rts_status rts_port_queue_send(struct rts_queue *queue, const void *message)
{
    /* Its message is not const, though it is only read. */
    union {
        const void *given;
        void *taken;
    } bytes = {.given = message};
    return epicsMessageQueueSend(queue->queue, bytes.taken, queue->message_bytes) == 0 ? RTS_OK : RTS_FAILED;
}

rts_status rts_port_queue_send_urgent(struct rts_queue *queue, const void *message)
{
    (void)queue;
    (void)message;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_queue_receive(struct rts_queue *queue, void *message)
{
    const int got = epicsMessageQueueReceive(queue->queue, message, queue->message_bytes);
    return got == (int)queue->message_bytes ? RTS_OK : RTS_BROKEN;
}

void rts_port_queue_destroy(struct rts_queue *queue)
{
    epicsMessageQueueDestroy(queue->queue);
}
