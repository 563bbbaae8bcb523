/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A thread's real scheduling, and whether the process's memory is locked. EPICS goes on without a message if the system refuses either.
 */
#ifndef RTSTONE_IOC_STANDING_H
#define RTSTONE_IOC_STANDING_H

typedef struct standing {
    int fifo;     /**< 1: SCHED_FIFO; 0: not; -1: not known yet */
    int priority; /**< of SCHED_FIFO; else 0 */
} standing;

/** Of the calling thread. */
standing standing_of_self(void);

/** Locked memory of the process in kB; -1 where that cannot be known. */
long standing_locked_kb(void);

#endif
