/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SPring-8 Table 2 in the paper's own words: an interrupt to the start of a driver's service routine, the dispatch of a kernel thread included. The probe
 * module's handler wakes its thread as the kernel wakes those of threaded handlers; that thread's first instruction ends the span.
 */
#include "common/stages.h"

static rts_status setup(rts_run *run)
{
    return rts_stages_setup(run, RTS_TIMER_DEFERRED, RTS_STAGES_DRIVER);
}

const rts_measurement rts_measurement_driver_response = {
    .name = "driver-response",
    .meaning = 1,
    .summary =
        "from the assertion of the measured interrupt to the first instruction of a driver's thread in the kernel",
    .series = {"driver-response"},
    .services = 1u << RTS_SERVICE_THREADS,
    .passes = RTS_PASS_SINGLE,
    .on_timer = true,
    .paced = true,
    .setup = setup,
    .single = rts_stages_single,
    .teardown = rts_stages_teardown,
};
