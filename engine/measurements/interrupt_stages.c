/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * APS Tables 1, 2, 4 and 5: the stages of one interrupt by way of a bottom half, and their total where nothing is stamped in between.
 */
#include "common/stages.h"

static rts_status setup(rts_run *run)
{
    return rts_stages_setup(run, RTS_TIMER_DEFERRED, RTS_STAGES_ALL);
}

static rts_status setup_total(rts_run *run)
{
    return rts_stages_setup(run, RTS_TIMER_DEFERRED, RTS_STAGES_TOTAL);
}

/* Without threads there is no bottom half, and yet a total. */
#define INTERRUPT                                                                                                      \
    .services = 1u << RTS_SERVICE_TIMER, .passes = RTS_PASS_SINGLE, .enters = true, .on_timer = true, .paced = true,   \
    .single = rts_stages_single, .teardown = rts_stages_teardown

const rts_measurement rts_measurement_interrupt_stages = {
    .name = "interrupt-stages",
    .summary = "an interrupt's way to its handler, its bottom half and the task that this releases, stage by stage",
    .meaning = 1,
    .series = RTS_STAGES_SERIES,
    .setup = setup,
    INTERRUPT,
};

const rts_measurement rts_measurement_interrupt_total = {
    .name = "interrupt-total",
    .meaning = 2,
    .summary =
        "from the assertion of the measured interrupt by way of a bottom half to the waiting task, not stamped in between",
    .series = {"interrupt-task-response"},
    .setup = setup_total,
    INTERRUPT,
};
