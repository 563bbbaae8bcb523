/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A session: all state of the engine, in the one block that the port gives.
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
    rts_ticks first; /**< when the first item's turn came */
    rts_ticks spare; /**< what the item whose turn it is may take beyond its budget */
    uint32_t measured;
    uint32_t skipped;
    bool interrupted;
} rts_engine;

/** Answers one item of the plan: measures it and tells, or says why not. */
void rts_engine_item(rts_engine *engine, const rts_plan_item *item);

/**
 * Starts and stops each load that the plan names, before anything is measured. NULL when all can be started, else the first item whose load cannot,
 * and `fault` says why.
 */
const rts_plan_item *rts_engine_try_loads(rts_engine *engine, rts_load_fault *fault);

/** True when the session is to end: asked for, or nobody reads any more. */
bool rts_engine_ends(rts_engine *engine);

#endif
