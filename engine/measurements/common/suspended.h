/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Waiting for a task to be suspended, and for one to end that may suspend itself once more. Never inside a window.
 */
#ifndef RTSTONE_MEASUREMENTS_SUSPENDED_H
#define RTSTONE_MEASUREMENTS_SUSPENDED_H

#include "rtstone/port.h"

/** Waits, a second at most (then RTS_BROKEN), until the task is known to be suspended. */
rts_status rts_wait_suspended(struct rts_thread *thread);

/** Resumes the task until `ended` is true, a second at most (then RTS_BROKEN). */
rts_status rts_resume_until(struct rts_thread *thread, const bool *ended);

#endif
