/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The threads in which PREEMPT_RT serves interrupts of the load's devices, raised above all that is measured and put back.
 */
#ifndef RTSTONE_INTERRUPT_THREADS_H
#define RTSTONE_INTERRUPT_THREADS_H

#include "links.h"
#include "rtstone/load.h"

#define RTS_INTERRUPT_THREADS_NEED                                                                                     \
    "this kernel serves the network's interrupts in no threads that could be raised (PREEMPT_RT does), or no network " \
    "devices are set aside for it (rtstone.network=near,far,line)"

/** True if this kernel may serve interrupts in threads: PREEMPT_RT does, other kernels do if they are configured to. */
bool rts_interrupt_threads_there(void);

/** Raises the threads of the devices that are set aside for loads; returns their number. */
unsigned rts_interrupt_threads_raise(void);

/** Restores their earlier scheduling. */
void rts_interrupt_threads_restore(void);

/** Reports how many threads were raised, and to which priority. */
void rts_interrupt_threads_achieved(rts_load_fact_fn fact, void *arg);

#endif
