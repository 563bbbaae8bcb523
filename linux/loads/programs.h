/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs of a load: processes of ordinary priority on the measured CPU that take one step after another until they are told to stop; and what loads of
 * other processes share with them.
 */
#ifndef RTSTONE_PROGRAMS_H
#define RTSTONE_PROGRAMS_H

#include <stdatomic.h>

#include "rtstone/load.h"

#define RTS_PROGRAMS 16u
#define RTS_PROGRAM_COUNTS 3u

/** One of them. Everything in it is shared with the engine. */
typedef struct rts_program {
    struct rts_thread thread;
    const _Atomic bool *stop;
    void (*step)(struct rts_program *own); /**< some milliseconds at most: a stop waits for its end */
    uint32_t number;
    uint64_t counts[RTS_PROGRAM_COUNTS];
    uint64_t failures; /**< steps, or parts of them, that could not be done */
} rts_program;

/** All of a load's state. */
typedef struct rts_programs {
    _Atomic bool stop;
    uint32_t running;
    rts_ticks began;
    rts_ticks ended;
    char why[RTS_LOAD_WHY_BYTES]; /**< a start that is about to fail says here what it lacks */
    rts_program programs[RTS_PROGRAMS];
} rts_programs;

_Static_assert(sizeof(rts_programs) <= RTS_LOAD_STATE_BYTES, "the state of the load does not fit");

/** Makes one process as all loads have them, which runs entry(arg): of ordinary priority, on that CPU. `thread` and what arg points to lie in the load's state. */
rts_status rts_programs_make(struct rts_thread *thread, void (*entry)(void *), void *arg, int32_t cpu);

/** Starts spec->intensity programs; RTS_INVALID if they are too many. Of a start that fails nothing is left. */
rts_status rts_programs_start(rts_programs *own, const rts_load_spec *spec, void (*step)(rts_program *own));

/** Ends them: a rts_programs, as a load has its state. */
void rts_programs_stop(void *programs);

/** For `why` and `faults` of a load whose state is a rts_programs: NULL where it lacks nothing; the failures of all programs. */
const char *rts_programs_why(const void *programs);
uint64_t rts_programs_failures(const void *programs);

/** Tells the sum of each count under its name (up to a NULL), then `failures`, `programs`, `elapsed_ns`, `cpu_time_ns`. */
void rts_programs_achieved(rts_programs *own, const char *const names[RTS_PROGRAM_COUNTS], rts_load_fact_fn fact,
                           void *arg);

/** After the stop: sum of one count over all programs, and what of a sum came in a second. */
uint64_t rts_programs_sum(const rts_programs *own, uint32_t count);
uint64_t rts_programs_per_s(const rts_programs *own, uint64_t sum);

/** What of any count came in a second, rounded; 0 where nothing can be said of so short a time. */
uint64_t rts_programs_rate(uint64_t count, uint64_t elapsed_ns);

/** Ticks of the run's clock in nanoseconds. */
uint64_t rts_programs_ns(rts_ticks ticks);

#endif
