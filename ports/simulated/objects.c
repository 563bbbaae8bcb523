/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The simulated kernel's semaphores, mutexes, queues and memory blocks.
 */
#include <string.h>

#include "kernel.h"

/* ---- semaphores ----------------------------------------------------------------------------- */

rts_status rts_port_semaphore_create(struct rts_semaphore *semaphore, uint32_t initial, uint32_t maximum)
{
    const rts_status status = sim_service(RTS_SERVICE_SEMAPHORE);
    if (status != RTS_OK) {
        return status;
    }
    if (maximum == 0 || initial > maximum) {
        return RTS_INVALID;
    }
    *semaphore = (struct rts_semaphore){.count = initial, .maximum = maximum};
    return RTS_OK;
}

rts_status rts_port_semaphore_take(struct rts_semaphore *semaphore)
{
    const sim_verdict verdict = sim_enter(SIM_TAKE);
    if (verdict.status != RTS_OK || verdict.lost) {
        return verdict.status;
    }
    if (!sim_active->barging) {
        if (semaphore->count > 0) {
            semaphore->count--;
        } else {
            sim_block(&semaphore->waiters); /* the giver hands it over */
        }
        return RTS_OK;
    }
    while (semaphore->count == 0) {
        sim_block(&semaphore->waiters);
    }
    semaphore->count--;
    return RTS_OK;
}

static rts_status give(struct rts_semaphore *semaphore, sim_verdict verdict)
{
    if (verdict.status != RTS_OK || verdict.lost) {
        return verdict.status;
    }
    const struct sim_task *woken = sim_wake_first(&semaphore->waiters);
    if (woken == NULL || sim_active->barging) {
        if (semaphore->count == semaphore->maximum) {
            return RTS_FAILED;
        }
        semaphore->count++;
    }
    sim_preempt();
    return RTS_OK;
}

rts_status rts_port_semaphore_give(struct rts_semaphore *semaphore)
{
    return give(semaphore, sim_enter(SIM_GIVE));
}

rts_status rts_port_semaphore_give_isr(struct rts_semaphore *semaphore)
{
    return give(semaphore, sim_enter(SIM_GIVE_ISR));
}

void rts_port_semaphore_destroy(struct rts_semaphore *semaphore)
{
    if (semaphore->waiters.first != NULL) {
        rts_port_fatal("a semaphore was destroyed while a thread waited for it");
    }
}

/* ---- mutexes -------------------------------------------------------------------------------- */

rts_status rts_port_mutex_create(struct rts_mutex *mutex, rts_protocol protocol)
{
    rts_status status = sim_service(RTS_SERVICE_MUTEX);
    if (status == RTS_OK && protocol == RTS_PROTOCOL_INHERIT) {
        status = sim_service(RTS_SERVICE_MUTEX_INHERIT);
    }
    *mutex = (struct rts_mutex){.protocol = protocol};
    return status;
}

rts_status rts_port_mutex_lock(struct rts_mutex *mutex)
{
    const sim_verdict verdict = sim_enter(SIM_LOCK);
    if (verdict.status != RTS_OK || verdict.lost) {
        return verdict.status;
    }
    if (mutex->owner == sim_current()) {
        return RTS_INVALID;
    }
    if (mutex->owner == NULL) {
        mutex->owner = sim_current();
        return RTS_OK;
    }
    if (mutex->protocol == RTS_PROTOCOL_INHERIT && !sim_active->no_inheritance) {
        sim_inherit(mutex->owner);
    }
    sim_block(&mutex->waiters);
    return RTS_OK;
}

rts_status rts_port_mutex_unlock(struct rts_mutex *mutex)
{
    const sim_verdict verdict = sim_enter(SIM_UNLOCK);
    if (verdict.status != RTS_OK || verdict.lost) {
        return verdict.status;
    }
    if (mutex->owner != sim_current()) {
        return RTS_INVALID;
    }
    mutex->owner = sim_wake_first(&mutex->waiters);
    sim_disinherit(sim_current());
    sim_preempt();
    return RTS_OK;
}

void rts_port_mutex_destroy(struct rts_mutex *mutex)
{
    if (mutex->waiters.first != NULL) {
        rts_port_fatal("a mutex was destroyed while a thread waited for it");
    }
}

/* ---- queues --------------------------------------------------------------------------------- */

rts_status rts_port_queue_create(struct rts_queue *queue, uint32_t depth, uint32_t message_bytes)
{
    const rts_status status = sim_service(RTS_SERVICE_QUEUE);
    if (status != RTS_OK) {
        return status;
    }
    if (depth == 0 || depth > SIM_QUEUE_DEPTH || message_bytes == 0 || message_bytes > SIM_MESSAGE_BYTES ||
        message_bytes % RTS_MESSAGE_ALIGNMENT != 0) {
        return RTS_INVALID;
    }
    memset(queue, 0, sizeof *queue);
    queue->depth = depth;
    queue->message_bytes = message_bytes;
    return RTS_OK;
}

/* As a kernel that copies words would find it. */
static void require_aligned(const void *message)
{
    if ((uintptr_t)message % RTS_MESSAGE_ALIGNMENT != 0) {
        rts_port_fatal("a message does not lie where words do");
    }
}

/* Makes room at `position` from the head and puts the message there. */
static void put(struct rts_queue *queue, uint32_t position, const void *message)
{
    for (uint32_t i = queue->count; i > position; i--) {
        memcpy(queue->messages[(queue->head + i) % SIM_QUEUE_DEPTH],
               queue->messages[(queue->head + i - 1) % SIM_QUEUE_DEPTH], SIM_MESSAGE_BYTES);
    }
    memcpy(queue->messages[(queue->head + position) % SIM_QUEUE_DEPTH], message, queue->message_bytes);
    queue->count++;
}

static rts_status send(struct rts_queue *queue, const void *message, bool urgent, sim_verdict verdict)
{
    require_aligned(message);
    if (verdict.status != RTS_OK || verdict.lost) {
        return verdict.status;
    }
    while (queue->count == queue->depth) {
        sim_block(&queue->senders);
    }
    if (urgent != verdict.reorder) {
        put(queue, sim_active->urgent_fifo ? queue->urgent : 0, message);
        queue->urgent++;
    } else {
        put(queue, queue->count, message);
    }
    (void)sim_wake_first(&queue->receivers);
    sim_preempt();
    return RTS_OK;
}

rts_status rts_port_queue_send(struct rts_queue *queue, const void *message)
{
    return send(queue, message, false, sim_enter(SIM_SEND));
}

rts_status rts_port_queue_send_urgent(struct rts_queue *queue, const void *message)
{
    const rts_status status = sim_service(RTS_SERVICE_QUEUE_URGENT);
    return status != RTS_OK ? status : send(queue, message, true, sim_enter(SIM_SEND_URGENT));
}

rts_status rts_port_queue_receive(struct rts_queue *queue, void *message)
{
    require_aligned(message);
    const sim_verdict verdict = sim_enter(SIM_RECEIVE);
    if (verdict.status != RTS_OK || verdict.lost) {
        return verdict.status;
    }
    while (queue->count == 0) {
        sim_block(&queue->receivers);
    }
    memcpy(message, queue->messages[queue->head], queue->message_bytes);
    queue->head = (queue->head + 1) % SIM_QUEUE_DEPTH;
    queue->count--;
    queue->urgent -= queue->urgent > 0 ? 1 : 0;
    (void)sim_wake_first(&queue->senders);
    sim_preempt();
    return RTS_OK;
}

void rts_port_queue_destroy(struct rts_queue *queue)
{
    if (queue->receivers.first != NULL || queue->senders.first != NULL) {
        rts_port_fatal("a queue was destroyed while a thread waited at it");
    }
}

/* ---- memory blocks -------------------------------------------------------------------------- */

rts_status rts_port_blocks_create(struct rts_blocks *blocks, uint32_t count, uint32_t bytes)
{
    const rts_status status = sim_service(RTS_SERVICE_BLOCKS);
    if (status != RTS_OK) {
        return status;
    }
    if (count == 0 || count > SIM_BLOCKS || bytes == 0 || bytes > SIM_BLOCK_BYTES) {
        return RTS_INVALID;
    }
    memset(blocks, 0, sizeof *blocks);
    blocks->count = count;
    blocks->bytes = bytes;
    blocks->free_count = count;
    for (uint32_t i = 0; i < count; i++) {
        blocks->free_list[i] = i;
    }
    return RTS_OK;
}

rts_status rts_port_block_alloc(struct rts_blocks *blocks, void **block)
{
    const sim_verdict verdict = sim_enter(SIM_ALLOC);
    *block = NULL;
    if (verdict.status != RTS_OK || verdict.lost) {
        return verdict.status;
    }
    if (blocks->free_count == 0) {
        return RTS_NO_MEMORY;
    }
    const uint32_t index = blocks->free_list[--blocks->free_count];
    blocks->taken[index] = true;
    *block = blocks->storage[index];
    return RTS_OK;
}

rts_status rts_port_block_free(struct rts_blocks *blocks, void *block)
{
    const sim_verdict verdict = sim_enter(SIM_FREE);
    if (verdict.status != RTS_OK || verdict.lost) {
        return verdict.status;
    }
    for (uint32_t i = 0; i < blocks->count; i++) {
        if (block == blocks->storage[i] && blocks->taken[i]) {
            blocks->taken[i] = false;
            blocks->free_list[blocks->free_count++] = i;
            return RTS_OK;
        }
    }
    return RTS_INVALID;
}

void rts_port_blocks_destroy(struct rts_blocks *blocks)
{
    blocks->count = 0;
}
