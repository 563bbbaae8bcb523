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
