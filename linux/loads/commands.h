/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Commands of a load: /bin/sh runs them on the measured CPU at ordinary priority during the measurement. They end with all that they started.
 */
#ifndef RTSTONE_COMMANDS_H
#define RTSTONE_COMMANDS_H

#include <stdatomic.h>
#include <sys/types.h>

#include "rtstone/load.h"

#define RTS_COMMAND_COPIES 16u

/** All of a load's state. Its keeper, a process of its own, shares it. */
typedef struct rts_commands {
    struct rts_thread keeper;
    _Atomic bool stop;
    _Atomic bool settled; /**< all copies run, or one has ended */
    _Atomic uint32_t exits;
    uint32_t copies;
    int how; /**< wait status of the last that ended before its time */
    pid_t engine;
    uint64_t cpu_ns;
    rts_ticks began;
    rts_ticks ended;
    const char *text;
    char why[RTS_LOAD_WHY_BYTES]; /**< a start that is about to fail says here what it lacks */
    char what[RTS_LOAD_WHY_BYTES];
} rts_commands;

_Static_assert(sizeof(rts_commands) <= RTS_LOAD_STATE_BYTES, "the state of the load does not fit");

/** Starts so many copies of the command `text`, which must stay where it is; `own` is all zeros. RTS_FAILED: one ended at once; of it nothing is left. */
rts_status rts_commands_start(rts_commands *own, const rts_load_spec *spec, const char *text, uint32_t copies);

/** Ends them: a rts_commands, as a load has its state. */
void rts_commands_stop(void *commands);

/** For `why`, `remark` and `faults` of a load whose state is a rts_commands: those that ended early are faults. */
const char *rts_commands_why(const void *commands);
const char *rts_commands_remark(const void *commands);
uint64_t rts_commands_faults(const void *commands);

/** Reports `ended_early`, `elapsed_ns`, and `cpu_time_ns` of all processes that ended with them. */
void rts_commands_achieved(const rts_commands *own, rts_load_fact_fn fact, void *arg);

#endif
