/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * APS Tables 1 to 5, the rows with user level ISR: the stages of one interrupt, and their total, by way of a routine in user space, which a signal calls.
 */
#include "common/stages.h"

static rts_status setup(rts_run *run)
{
    return rts_stages_setup(run, RTS_TIMER_SIGNALLED, RTS_STAGES_ALL);
}

static rts_status setup_total(rts_run *run)
{
    return rts_stages_setup(run, RTS_TIMER_SIGNALLED, RTS_STAGES_TOTAL);
}

/* Threads, and the module, which set-up asks for. */
#define USER_ISR                                                                                                       \
    .meaning = 2, .services = 1u << RTS_SERVICE_THREADS, .passes = RTS_PASS_SINGLE, .enters = true, .on_timer = true,  \
    .prioritized = true, .paced = true, .single = rts_stages_single, .teardown = rts_stages_teardown

const rts_measurement rts_measurement_user_isr_stages = {
    .name = "user-isr-stages",
    .summary =
        "the stages of an interrupt that a routine in user space answers, called by a signal of the kernel's bottom half",
    .series = RTS_STAGES_ROUTINE_SERIES,
    .setup = setup,
    USER_ISR,
};

const rts_measurement rts_measurement_user_isr_total = {
    .name = "user-isr-total",
    .summary =
        "from the assertion by way of a routine in user space, called by a signal, to the waiting task, not stamped in between",
    .series = {"interrupt-task-response"},
    .setup = setup_total,
    USER_ISR,
};
