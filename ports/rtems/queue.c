/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Queues: RTEMS copies messages of any length in and out, and sends to either end. A send to a full queue is an
 * error there: whoever must wait looks again a tick later.
 */
#include "rtems_port.h"

rts_status rts_port_queue_create(struct rts_queue *queue, uint32_t depth, uint32_t message_bytes)
{
    if (depth == 0 || message_bytes == 0 || message_bytes > RTS_MESSAGE_BYTES_MAX) {
        return RTS_INVALID;
    }
    if (depth > RTS_QUEUE_DEPTH) {
        return RTS_NO_MEMORY;
    }
    queue->bytes = message_bytes;
    return rts_rtems_status(rtems_message_queue_create(RTS_RTEMS_NAME('q', 'u', 'e'), depth, message_bytes,
                                                       RTEMS_DEFAULT_ATTRIBUTES, &queue->id));
}

rts_status rts_port_queue_send(struct rts_queue *queue, const void *message)
{
    rtems_status_code sent;
    while ((sent = rtems_message_queue_send(queue->id, message, queue->bytes)) == RTEMS_TOO_MANY) {
        (void)rtems_task_wake_after(1);
    }
    return rts_rtems_status(sent);
}

rts_status rts_port_queue_send_urgent(struct rts_queue *queue, const void *message)
{
    rtems_status_code sent;
    while ((sent = rtems_message_queue_urgent(queue->id, message, queue->bytes)) == RTEMS_TOO_MANY) {
        (void)rtems_task_wake_after(1);
    }
    return rts_rtems_status(sent);
}

rts_status rts_port_queue_receive(struct rts_queue *queue, void *message)
{
    size_t bytes;
    return rts_rtems_status(
        rtems_message_queue_receive(queue->id, message, &bytes, RTEMS_DEFAULT_OPTIONS, RTEMS_NO_TIMEOUT));
}

void rts_port_queue_destroy(struct rts_queue *queue)
{
    (void)rtems_message_queue_delete(queue->id);
}
