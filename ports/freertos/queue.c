/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Queues: FreeRTOS copies messages in and out, and sends to either end.
 */
#include "freertos.h"

_Static_assert(sizeof((struct rts_queue *)0)->messages == (size_t)RTS_QUEUE_DEPTH * RTS_MESSAGE_BYTES_MAX,
               "the queue's memory holds the deepest queue of the largest messages");

rts_status rts_port_queue_create(struct rts_queue *queue, uint32_t depth, uint32_t message_bytes)
{
    if (depth == 0 || message_bytes == 0 || message_bytes > RTS_MESSAGE_BYTES_MAX) {
        return RTS_INVALID;
    }
    if (depth > RTS_QUEUE_DEPTH) {
        return RTS_NO_MEMORY;
    }
    queue->handle = xQueueCreateStatic(depth, message_bytes, queue->messages, &queue->memory);
    return queue->handle != NULL ? RTS_OK : RTS_FAILED;
}

rts_status rts_port_queue_send(struct rts_queue *queue, const void *message)
{
    return xQueueSend(queue->handle, message, portMAX_DELAY) == pdTRUE ? RTS_OK : RTS_BROKEN;
}

rts_status rts_port_queue_send_urgent(struct rts_queue *queue, const void *message)
{
    return xQueueSendToFront(queue->handle, message, portMAX_DELAY) == pdTRUE ? RTS_OK : RTS_BROKEN;
}

rts_status rts_port_queue_receive(struct rts_queue *queue, void *message)
{
    return xQueueReceive(queue->handle, message, portMAX_DELAY) == pdTRUE ? RTS_OK : RTS_BROKEN;
}

void rts_port_queue_destroy(struct rts_queue *queue)
{
    vQueueDelete(queue->handle);
}
