/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What needs a kernel, and is therefore not there.
 */
#include "rtstone/port.h"

int32_t rts_port_priority_native(rts_priority priority, rts_sched sched)
{
    (void)priority;
    (void)sched;
    return 0;
}

rts_status rts_port_thread_create(struct rts_thread *thread, const rts_thread_attr *attr, void (*entry)(void *),
                                  void *arg)
{
    (void)thread;
    (void)attr;
    (void)entry;
    (void)arg;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_thread_join(struct rts_thread *thread)
{
    (void)thread;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_yield(void)
{
    return RTS_UNSUPPORTED;
}

rts_status rts_port_thread_suspend(struct rts_thread *thread)
{
    (void)thread;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_thread_suspend_self(struct rts_thread *self)
{
    (void)self;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_thread_resume(struct rts_thread *thread)
{
    (void)thread;
    return RTS_UNSUPPORTED;
}

bool rts_port_thread_is_suspended(struct rts_thread *thread)
{
    (void)thread;
    return false;
}

rts_status rts_port_switch_count(uint64_t *voluntary)
{
    *voluntary = 0;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_thread_cpu_ns(struct rts_thread *thread, uint64_t *cpu_ns)
{
    (void)thread;
    *cpu_ns = 0;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_mutex_create(struct rts_mutex *mutex, rts_protocol protocol)
{
    (void)mutex;
    (void)protocol;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_mutex_lock(struct rts_mutex *mutex)
{
    (void)mutex;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_mutex_unlock(struct rts_mutex *mutex)
{
    (void)mutex;
    return RTS_UNSUPPORTED;
}

void rts_port_mutex_destroy(struct rts_mutex *mutex)
{
    (void)mutex;
}

rts_status rts_port_queue_create(struct rts_queue *queue, uint32_t depth, uint32_t message_bytes)
{
    (void)queue;
    (void)depth;
    (void)message_bytes;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_queue_send(struct rts_queue *queue, const void *message)
{
    (void)queue;
    (void)message;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_queue_send_urgent(struct rts_queue *queue, const void *message)
{
    (void)queue;
    (void)message;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_queue_receive(struct rts_queue *queue, void *message)
{
    (void)queue;
    (void)message;
    return RTS_UNSUPPORTED;
}

void rts_port_queue_destroy(struct rts_queue *queue)
{
    (void)queue;
}

rts_status rts_port_blocks_create(struct rts_blocks *blocks, uint32_t count, uint32_t bytes)
{
    (void)blocks;
    (void)count;
    (void)bytes;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_block_alloc(struct rts_blocks *blocks, void **block)
{
    (void)blocks;
    *block = NULL;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_block_free(struct rts_blocks *blocks, void *block)
{
    (void)blocks;
    (void)block;
    return RTS_UNSUPPORTED;
}

void rts_port_blocks_destroy(struct rts_blocks *blocks)
{
    (void)blocks;
}
