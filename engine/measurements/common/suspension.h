/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The four measurements of suspend and resume: on a task or on a process, with a switch and without.
 */
#ifndef RTSTONE_MEASUREMENTS_SUSPENSION_H
#define RTSTONE_MEASUREMENTS_SUSPENSION_H

#include "rtstone/measurement.h"

/** With switches (SSCL, "Ping Suspend/Resume Task"): setups for a task and for a process, and the teardown; the passes are the ping's. */
rts_status rts_suspend_ping_task_setup(rts_run *run);
rts_status rts_suspend_ping_process_setup(rts_run *run);
void rts_suspend_ping_teardown(rts_run *run);

/** Without (SSCL, "Suspend/Resume Task"). */
rts_status rts_suspend_task_setup(rts_run *run);
rts_status rts_suspend_process_setup(rts_run *run);
rts_status rts_suspend_batch(rts_run *run, uint32_t ops, rts_ticks *total);
rts_status rts_suspend_single(rts_run *run, uint32_t samples);
void rts_suspend_teardown(rts_run *run);

#endif
