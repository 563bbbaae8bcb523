/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A user-level interrupt service routine, as in the APS study: the signal of a probe module's bottom half calls it, and it releases the task.
 */
#ifndef RTSTONE_LINUX_TIMER_ROUTINE_H
#define RTSTONE_LINUX_TIMER_ROUTINE_H

#include "system.h"

/** The module whose signal calls the routine. */
typedef struct rts_linux_routine_module {
    /** Makes the calling thread the receiver of that signal of RTS_TIMER_SIGNALLED; 0: no thread receives one. */
    rts_status (*receive)(int signal_number);
    /** Takes the stamps of the next past interrupt; RTS_BROKEN: none are ready. */
    rts_status (*take)(rts_timer_stamps *stamps);
} rts_linux_routine_module;

/** Creates the thread that receives the signal. Call it before the module's source starts; the module must outlive the routine. */
rts_status rts_linux_routine_begin(const rts_timer_spec *spec, const rts_linux_routine_module *module);

/** Waits until the routine has released the caller; returns all readings of that interrupt. */
rts_status rts_linux_routine_wait(rts_timer_stamps *stamps);

/** Ends the thread, after the source was stopped. RTS_BROKEN: there were fewer calls than interrupts, so that one call stood for several. */
rts_status rts_linux_routine_end(void);

/** True between begin and end. */
bool rts_linux_routine_there(void);

#endif
