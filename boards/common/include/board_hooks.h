/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tells what kernel the image holds: the part of rts_port_describe that is not the board's, written by each port.
 */
#ifndef RTSTONE_BOARD_HOOKS_H
#define RTSTONE_BOARD_HOOKS_H

#include "rtstone/port.h"

/** Tells a number as a fact. */
void board_fact_number(rts_fact_fn fact, void *arg, const char *key, uint64_t number);

/** The port's own facts: kernel.sysname, kernel.release, sched.* … */
void rts_kernel_describe(rts_fact_fn fact, void *arg);

#endif
