/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What libCom has no word for, asked of the system that it runs on. Each hook says what to answer where there is no such thing; another system
 * gets a folder beside linux/, or does with elsewhere.c.
 */
#ifndef RTSTONE_EPICS_PLACE_H
#define RTSTONE_EPICS_PLACE_H

#include "rtstone/port.h"

/** True if the calling thread of libCom really has a real-time class. Without a way to know: true. */
bool rts_place_realtime(void);

/** Makes the calling thread an ordinary one, below all that has a priority. Without: nothing, its priority is libCom's lowest. */
void rts_place_ordinary(void);

/** Pins the calling thread, and the threads that it makes. RTS_UNSUPPORTED without, unless there is only one CPU. */
rts_status rts_place_pin(int32_t cpu);

/** CPUs that may be used; 1 where that cannot be known. */
uint32_t rts_place_cpu_count(void);

/** The CPU to measure on where the plan leaves it open: the highest numbered; 0 without affinity. RTS_INVALID for one that cannot be used. */
rts_status rts_place_cpu(int32_t wanted, int32_t *actual);

/** CPU time of the calling thread in ns. 0 where that is not counted. */
uint64_t rts_place_cpu_ns(void);

/** True if all memory is locked. Without a way to know: false. */
bool rts_place_locked(void);

/** Kills this program when the one that started it dies. Without: nothing, the engine ends when nobody reads its output. */
void rts_place_die_with_parent(long parent);

/** Facts of the system. */
void rts_place_describe(rts_fact_fn fact, void *arg);

#endif
