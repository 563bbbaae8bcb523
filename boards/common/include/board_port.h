/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The sizes and clock readings of the port contract that are the board's: the same for every kernel on it.
 */
#ifndef RTSTONE_BOARD_PORT_H
#define RTSTONE_BOARD_PORT_H

#include "board.h"
#include "rtstone/types.h"

#define RTS_PORT_SUB_BITS BOARD_SUB_BITS
#define RTS_PORT_MAX_BITS 40
#define RTS_PORT_NEGATIVE_BITS 8 /* an interrupt of a timer is never early */
#define RTS_PORT_COUNT_TYPE uint32_t
#define RTS_PORT_STATE_BYTES 8192
#define RTS_PORT_EXTREMES 16
#define RTS_PORT_WINDOWS BOARD_WINDOWS
#define RTS_PORT_ITEMS 128

static inline rts_ticks rts_clock_read(void)
{
    return board_clock_read();
}

#ifdef BOARD_TIMER_VECTOR
#define RTS_PORT_TIMER_VECTOR
static inline rts_ticks rts_port_timer_vector(void)
{
    return BOARD_TIMER_VECTOR;
}
#endif

static inline rts_ticks rts_timer_clock_read(void)
{
    return board_timer_clock_read();
}

#endif
