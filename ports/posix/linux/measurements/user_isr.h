/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The measured interrupt by way of a user-level interrupt service routine: the kernel's bottom half sends a signal, whose handler in user
 * space releases the task that waits.
 */
#ifndef RTSTONE_POSIX_USER_ISR_H
#define RTSTONE_POSIX_USER_ISR_H

#include "rtstone/measurement.h"

/** `total`: one series, assertion to task, unstamped in between; else four, stage by stage. */
rts_status rts_user_isr_setup(rts_run *run, bool total);
rts_status rts_user_isr_single(rts_run *run, uint32_t samples);
void rts_user_isr_teardown(rts_run *run);

#endif
