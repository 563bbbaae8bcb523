/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * APS Table 5, the row with user level ISR: from the assertion by way of a routine in user space to the waiting task.
 */
#include "common/stages.h"

static rts_status setup(rts_run *run)
{
    return rts_stages_setup(run, RTS_TIMER_SIGNALLED, true);
}

const rts_measurement rts_measurement_user_isr_total = {
    .name = "user-isr-total",
    .meaning = 2,
    .summary =
        "from the assertion by way of a routine in user space, called by a signal, to the waiting task, not stamped in between",
    .series = {"interrupt-task-response"},
    .services = 1u << RTS_SERVICE_THREADS, /* and the module, which set-up asks for */
    .passes = RTS_PASS_SINGLE,
    .enters = true,
    .on_timer = true,
    .prioritized = true,
    .paced = true,
    .setup = setup,
    .single = rts_stages_single,
    .teardown = rts_stages_teardown,
};
