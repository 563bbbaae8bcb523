/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * APS Tables 1 to 4, the rows with user level ISR: an interrupt's stages by way of a routine in user space, which a signal calls.
 */
#include "user_isr.h"

static rts_status setup(rts_run *run)
{
    return rts_user_isr_setup(run, false);
}

const rts_measurement rts_measurement_user_isr_stages = {
    .name = "user-isr-stages",
    .meaning = 1,
    .summary =
        "the stages of an interrupt that a routine in user space answers, called by a signal of the kernel's bottom half",
    .series = {"interrupt-service-response", "top-to-bottom-half", "bottom-half-to-user-isr", "context-switch-delay"},
    .services = 1u << RTS_SERVICE_THREADS, /* and the module, which set-up asks for */
    .passes = RTS_PASS_SINGLE,
    .on_timer = true,
    .prioritized = true,
    .paced = true,
    .setup = setup,
    .single = rts_user_isr_single,
    .teardown = rts_user_isr_teardown,
};
