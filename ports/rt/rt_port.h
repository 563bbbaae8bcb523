/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the port to `rt` share.
 */
#ifndef RTSTONE_RT_PORT_SHARED_H
#define RTSTONE_RT_PORT_SHARED_H

#include "rtstone/port.h"

/* Urgency falls as the number rises; 31 is the idle task's. The engine's own task stands above the load and below all that is measured. */
#define RTS_RT_PRIORITY_ENGINE 5u
#define RTS_RT_TICK_HZ 1000u
#define RTS_RT_ENGINE_STACK_BYTES 16384u

/* Of each architecture: arm/, riscv/ … */

/** Sets the priorities of the kernel's own exceptions and starts its tick. */
void rts_rt_start_ticks(void);

/** Holds the tick or lets it go on. */
void rts_rt_ticks(bool on);

/** What has just been pended (rt_syscall_pend) is done once this returns. */
void rts_rt_pending_done(void);

#endif
