/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A session: all state of the engine, in the one block that the port provides.
 */
#ifndef RTS_ENGINE_STATE_H
#define RTS_ENGINE_STATE_H

#include "clocks.h"
#include "plan.h"
#include "record.h"
#include "run.h"

typedef struct rts_engine {
    rts_writer writer;
    rts_plan plan;
    rts_plan_reader reader;
    rts_clocks clocks;
    rts_run run;
    rts_ticks first; /**< when the first item began */
    rts_ticks spare; /**< time that the current item may take beyond its budget */
    uint32_t measured;
    uint32_t skipped;
    bool interrupted;
} rts_engine;

/** Handles one item of the plan: measures it and reports the results, or reports why it is skipped. */
void rts_engine_item(rts_engine *engine, const rts_plan_item *item);

/**
 * Starts and stops each load that the plan names, before the first measurement. NULL if all can be started, else the first item whose load cannot;
 * `fault` then has the reason.
 */
const rts_plan_item *rts_engine_try_loads(rts_engine *engine, rts_load_fault *fault);

/** True when the session must end: the user or host asked for it, or the stream has no reader any more. */
bool rts_engine_ends(rts_engine *engine);

#endif
