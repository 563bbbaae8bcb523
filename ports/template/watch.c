/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Template of a port: the system's counts while an item is measured, and the wait before one.
 */
#include "rtstone/port.h"

#ifdef RTS_PORT_WATCHES
/* [optional] Only where the system keeps counts that explain a bad sample: rtstone_port.h then defines RTS_PORT_WATCHES. */
void rts_port_watch_begin(int32_t cpu)
{
    (void)cpu;
}

/* [optional] Likewise. */
void rts_port_watch_end(rts_watch_fn tell, void *arg)
{
    (void)tell;
    (void)arg;
}
#endif

#ifdef RTS_PORT_GATES
/* [optional] Only where the host may be beyond a network, and each item waits until the wire is quiet. */
void rts_port_gate(uint32_t item)
{
    (void)item;
}
#endif
