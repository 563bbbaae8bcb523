/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * APS Table 5: from the assertion of the measured interrupt by way of its bottom half to the task that waits for it.
 */
#include "common/stages.h"

static rts_status setup(rts_run *run)
{
    return rts_stages_setup(run, RTS_TIMER_DEFERRED, true);
}

const rts_measurement rts_measurement_interrupt_total = {
    .name = "interrupt-total",
    .meaning = 2,
    .summary =
        "from the assertion of the measured interrupt by way of a bottom half to the waiting task, not stamped in between",
    .series = {"interrupt-task-response"},
    .services = 1u << RTS_SERVICE_TIMER, /* without threads there is no bottom half */
    .passes = RTS_PASS_SINGLE,
    .enters = true,
    .on_timer = true,
    .paced = true,
    .setup = setup,
    .single = rts_stages_single,
    .teardown = rts_stages_teardown,
};
