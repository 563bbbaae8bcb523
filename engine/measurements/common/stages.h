/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The measured interrupt's way by stages (chain.h), recorded: all stages and the total of each interrupt, or the total of a way that is not stamped.
 */
#ifndef RTSTONE_MEASUREMENTS_STAGES_H
#define RTSTONE_MEASUREMENTS_STAGES_H

#include "rtstone/measurement.h"

/**
 * Names of the series of a way that is stamped, in order; RTS_STAGES_ROUTINE_SERIES with a user-level interrupt service routine. Of each interrupt the
 * stages and the residual add up to the total.
 */
#define RTS_STAGES_SERIES                                                                                              \
    {                                                                                                                  \
        "interrupt-service-response", "top-to-bottom-half", "context-switch-delay", "interrupt-task-response",         \
            "residual"                                                                                                 \
    }
#define RTS_STAGES_ROUTINE_SERIES                                                                                      \
    {                                                                                                                  \
        "interrupt-service-response", "top-to-bottom-half", "bottom-half-to-user-isr", "context-switch-delay",         \
            "interrupt-task-response", "residual"                                                                      \
    }

/** What is recorded of each interrupt. */
typedef enum rts_stages_kind {
    RTS_STAGES_ALL,   /**< every stage, the total and the residual */
    RTS_STAGES_TOTAL, /**< one series, assertion to task, and no clock is read in between but the handler's */
    RTS_STAGES_DRIVER /**< one series, assertion to the bottom half: only of one that is the kernel's own */
} rts_stages_kind;

/** `path`: with or without a user-level routine. */
rts_status rts_stages_setup(rts_run *run, rts_timer_path path, rts_stages_kind kind);
rts_status rts_stages_single(rts_run *run, uint32_t samples);
void rts_stages_teardown(rts_run *run);

#endif
