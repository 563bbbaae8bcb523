/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * APS Table 1: from the assertion of the measured interrupt to its handler, which leaves the rest to a bottom half.
 */
#include "common/deferred.h"

static rts_status setup(rts_run *run)
{
    return rts_deferred_setup(run, RTS_DEFERRED_TOP_HALF);
}

const rts_measurement rts_measurement_interrupt_top_half = {
    .name = "interrupt-top-half",
    .meaning = 1,
    .summary = "from the assertion of the measured interrupt to its handler, the rest being left to a bottom half",
    .series = {"interrupt-service-response"},
    .services = 1u << RTS_SERVICE_TIMER, /* without threads it is what the hardware alone does */
    .passes = RTS_PASS_SINGLE,
    .on_timer = true,
    .paced = true,
    .setup = setup,
    .single = rts_deferred_single,
    .teardown = rts_deferred_teardown,
};
