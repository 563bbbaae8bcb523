/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What libCom has no word for, asked of the system that it runs on. Each hook says what to answer where there is no such thing; linux.c has Linux's
 * answers, elsewhere.c those of a system of which nothing is known.
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

/** Makes those privileges effective that this program's file grants. Called first of all. Without: nothing. */
void rts_place_claim_granted(void);

/** Kills this program when the one that started it dies. Without: nothing, the engine ends when nobody reads its output. */
void rts_place_die_with_parent(long parent);

/** Whether there are interrupts for a load, with which come rts_port_traffic_start, _wait and _stop. Without: RTS_UNSUPPORTED from all four. */
rts_status rts_place_traffic(void);

/** Whether a load can have programs, with an address space of their own. Without: RTS_UNSUPPORTED from the next two, NULL from the third. */
rts_status rts_place_programs(void);

/** Makes one, which calls main(thread) and ends; thread->process is not 0 in it. It dies with the engine. */
rts_status rts_place_program_start(struct rts_thread *thread, void (*main)(void *thread));

/** Waits for its end. */
rts_status rts_place_program_join(struct rts_thread *thread);

/** Zeroed memory that such programs share with the engine. */
void *rts_place_memory(size_t bytes);

/** How long measured code may hold a CPU, and its rest after that, in ns. Without a way to know: 50 ms, then a rest of a tenth. */
void rts_place_duty(uint64_t *run_ns, uint64_t *rest_ns);

/** Facts of the system. */
void rts_place_describe(rts_fact_fn fact, void *arg);

#endif
