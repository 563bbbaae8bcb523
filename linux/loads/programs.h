/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs of a load: processes of ordinary priority on the measured CPU that take one step after another until they are stopped. Also the
 * functions that loads of other processes share with them.
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
    char why[RTS_LOAD_WHY_BYTES]; /**< a start that is about to fail writes its reason here */
    rts_program programs[RTS_PROGRAMS];
} rts_programs;

_Static_assert(sizeof(rts_programs) <= RTS_LOAD_STATE_BYTES, "the state of the load does not fit");

/** Creates a process of ordinary priority on that CPU, for a load; it runs entry(arg). `thread` and the object at `arg` must be in its state. */
rts_status rts_programs_make(struct rts_thread *thread, void (*entry)(void *), void *arg, int32_t cpu);

/** Starts spec->intensity programs; RTS_INVALID if they are too many. A start that fails leaves nothing behind. */
rts_status rts_programs_start(rts_programs *own, const rts_load_spec *spec, void (*step)(rts_program *own));

/** Ends them: a rts_programs, as a load has its state. */
void rts_programs_stop(void *programs);

/** For `why` and `faults` of a load whose state is a rts_programs: the reason of a failed start or NULL; the failures of all programs. */
const char *rts_programs_why(const void *programs);
uint64_t rts_programs_failures(const void *programs);

/** Reports the sum of each count under its name (up to a NULL), then `failures`, `programs`, `elapsed_ns`, `cpu_time_ns`. */
void rts_programs_achieved(rts_programs *own, const char *const names[RTS_PROGRAM_COUNTS], rts_load_fact_fn fact,
                           void *arg);

/** After the stop: the sum of one count over all programs, and a sum as a rate per second. */
uint64_t rts_programs_sum(const rts_programs *own, uint32_t count);
uint64_t rts_programs_per_s(const rts_programs *own, uint64_t sum);

#endif
