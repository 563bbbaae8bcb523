/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * INFN Table 2, "Process creation": a process creates another, which ends at once, and waits for its end. The way of creation is the measurement's.
 */
#ifndef RTSTONE_LINUX_BIRTH_H
#define RTSTONE_LINUX_BIRTH_H

#include "common/worker.h"

/** Exit code of every such child: the proof that it ran. */
#define RTS_BIRTH_CODE 42

/** Creates one child, which must end with RTS_BIRTH_CODE, also if this call returns in it. Below 0: it failed, and errno says why. */
typedef pid_t (*rts_birth)(rts_run *run);

/** The first member of the state of such a measurement. */
typedef struct rts_birth_state {
    rts_worker worker;
    rts_birth bear;
    uint64_t begun; /**< children of this slice that ended as they should */
} rts_birth_state;

/** A measurement's setup, except for the way of creation; and its other functions. */
rts_status rts_birth_setup(rts_run *run, rts_birth bear);
rts_status rts_birth_batch(rts_run *run, uint32_t ops, rts_ticks *total);
rts_status rts_birth_single(rts_run *run, uint32_t samples);
void rts_birth_teardown(rts_run *run);

#endif
