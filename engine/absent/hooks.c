/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The optional hooks of a port that has not written them: each says that the service is not there.
 *
 * They are weak and in an archive of their own, which is linked after the port's. (In one archive with the port a linker may take the weak one, and
 * never look at the port's.) A build that links object files one by one needs no such order.
 */
#include "rtstone/port.h"

#if defined(__GNUC__)
#define RTS_DEFAULT __attribute__((weak))
#else
#define RTS_DEFAULT
#endif

RTS_DEFAULT rts_status rts_port_cache_flush(void)
{
    return RTS_UNSUPPORTED;
}

/* ---- threads -------------------------------------------------------------------------------------------------- */

RTS_DEFAULT rts_status rts_port_yield(void)
{
    return RTS_UNSUPPORTED;
}

RTS_DEFAULT rts_status rts_port_thread_suspend(struct rts_thread *thread)
{
    (void)thread;
    return RTS_UNSUPPORTED;
}

RTS_DEFAULT rts_status rts_port_thread_suspend_self(struct rts_thread *self)
{
    (void)self;
    return RTS_UNSUPPORTED;
}

RTS_DEFAULT rts_status rts_port_thread_resume(struct rts_thread *thread)
{
    (void)thread;
    return RTS_UNSUPPORTED;
}

RTS_DEFAULT bool rts_port_thread_is_suspended(struct rts_thread *thread)
{
    (void)thread;
    return false;
}

RTS_DEFAULT rts_status rts_port_switch_count(uint64_t *voluntary)
{
    *voluntary = 0;
    return RTS_UNSUPPORTED;
}

RTS_DEFAULT rts_status rts_port_thread_cpu_ns(struct rts_thread *thread, uint64_t *cpu_ns)
{
    (void)thread;
    *cpu_ns = 0;
    return RTS_UNSUPPORTED;
}

/* ---- mutexes, queues, memory blocks --------------------------------------------------------------------------- */

RTS_DEFAULT rts_status rts_port_mutex_create(struct rts_mutex *mutex, rts_protocol protocol)
{
    (void)mutex;
    (void)protocol;
    return RTS_UNSUPPORTED;
}

RTS_DEFAULT rts_status rts_port_mutex_lock(struct rts_mutex *mutex)
{
    (void)mutex;
    return RTS_UNSUPPORTED;
}

RTS_DEFAULT rts_status rts_port_mutex_unlock(struct rts_mutex *mutex)
{
    (void)mutex;
    return RTS_UNSUPPORTED;
}

RTS_DEFAULT void rts_port_mutex_destroy(struct rts_mutex *mutex)
{
    (void)mutex;
}

RTS_DEFAULT rts_status rts_port_queue_create(struct rts_queue *queue, uint32_t depth, uint32_t message_bytes)
{
    (void)queue;
    (void)depth;
    (void)message_bytes;
    return RTS_UNSUPPORTED;
}

RTS_DEFAULT rts_status rts_port_queue_send(struct rts_queue *queue, const void *message)
{
    (void)queue;
    (void)message;
    return RTS_UNSUPPORTED;
}

RTS_DEFAULT rts_status rts_port_queue_send_urgent(struct rts_queue *queue, const void *message)
{
    (void)queue;
    (void)message;
    return RTS_UNSUPPORTED;
}

RTS_DEFAULT rts_status rts_port_queue_receive(struct rts_queue *queue, void *message)
{
    (void)queue;
    (void)message;
    return RTS_UNSUPPORTED;
}

RTS_DEFAULT void rts_port_queue_destroy(struct rts_queue *queue)
{
    (void)queue;
}

RTS_DEFAULT rts_status rts_port_blocks_create(struct rts_blocks *blocks, uint32_t count, uint32_t bytes)
{
    (void)blocks;
    (void)count;
    (void)bytes;
    return RTS_UNSUPPORTED;
}

RTS_DEFAULT rts_status rts_port_block_alloc(struct rts_blocks *blocks, void **block)
{
    (void)blocks;
    *block = NULL;
    return RTS_UNSUPPORTED;
}

RTS_DEFAULT rts_status rts_port_block_free(struct rts_blocks *blocks, void *block)
{
    (void)blocks;
    (void)block;
    return RTS_UNSUPPORTED;
}

RTS_DEFAULT void rts_port_blocks_destroy(struct rts_blocks *blocks)
{
    (void)blocks;
}

/* ---- interrupts ----------------------------------------------------------------------------------------------- */

RTS_DEFAULT rts_status rts_port_semaphore_give_isr(struct rts_semaphore *semaphore)
{
    (void)semaphore;
    return RTS_UNSUPPORTED;
}

RTS_DEFAULT rts_status rts_port_timer_start(const rts_timer_spec *spec, rts_isr isr, void *arg)
{
    (void)spec;
    (void)isr;
    (void)arg;
    return RTS_UNSUPPORTED;
}

RTS_DEFAULT rts_status rts_port_timer_stop(void)
{
    return RTS_UNSUPPORTED;
}

/* rts_port_timer_start refuses what cannot come. */
RTS_DEFAULT const char *rts_port_timer_why_not(const rts_timer_spec *spec, bool in_kernel)
{
    (void)spec;
    (void)in_kernel;
    return NULL;
}

RTS_DEFAULT rts_status rts_port_traffic_start(const rts_traffic_spec *spec)
{
    (void)spec;
    return RTS_UNSUPPORTED;
}

RTS_DEFAULT rts_status rts_port_traffic_wait(rts_traffic_source source, uint8_t *byte)
{
    (void)source;
    (void)byte;
    return RTS_UNSUPPORTED;
}

RTS_DEFAULT rts_status rts_port_traffic_stop(rts_traffic_counts *counts)
{
    (void)counts;
    return RTS_UNSUPPORTED;
}
