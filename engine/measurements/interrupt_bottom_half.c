/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * APS Tables 2 and 4: from the handler of the measured interrupt to its bottom half, and from there to the waiting task.
 */
#include "common/deferred.h"

static rts_status setup(rts_run *run)
{
    return rts_deferred_setup(run, RTS_DEFERRED_BOTTOM_HALF);
}

const rts_measurement rts_measurement_interrupt_bottom_half = {
    .name = "interrupt-bottom-half",
    .meaning = 1,
    .summary = "from the measured interrupt's handler to its bottom half, and from that to the task that it releases",
    .series = {"top-to-bottom-half", "context-switch-delay"},
    .services = 1u << RTS_SERVICE_TIMER | 1u << RTS_SERVICE_THREADS,
    .passes = RTS_PASS_SINGLE,
    .on_timer = true,
    .prioritized = true,
    .paced = true,
    .setup = setup,
    .single = rts_deferred_single,
    .teardown = rts_deferred_teardown,
};
