/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * APS Tables 1, 2, 4 and 5: the stages of one interrupt by way of a bottom half, and their total.
 */
#include "common/stages.h"

static rts_status setup(rts_run *run)
{
    return rts_stages_setup(run, RTS_TIMER_DEFERRED, false);
}

const rts_measurement rts_measurement_interrupt_stages = {
    .name = "interrupt-stages",
    .summary = "an interrupt's way to its handler, its bottom half and the task that this releases, stage by stage",
    .meaning = 1,
    .series = RTS_STAGES_SERIES,
    .services = 1u << RTS_SERVICE_TIMER, /* without threads there is no bottom half */
    .passes = RTS_PASS_SINGLE,
    .enters = true,
    .on_timer = true,
    .paced = true,
    .setup = setup,
    .single = rts_stages_single,
    .teardown = rts_stages_teardown,
};
