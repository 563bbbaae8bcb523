/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel rt's tick and dispatch on the arm64-gicv3 board. rt's own entry has saved the registers, asked the interrupt controller and let more
 * urgent interrupts in; it calls what stands in its table.
 */
#include <gic.h>
#include <rt/tick.h>

#include "../../../ports/rt/rt_port.h"

#define BOARD_TICK_HZ RTS_RT_TICK_HZ
#include "board_tick.h"

void rts_rt_start_ticks(void)
{
    board_interrupt_enable(GIC_INTID_SYSCALL, GIC_PRIORITY_SYSCALL / GIC_PRIORITY_STEP);
    rts_rt_ticks(true);
}

void rts_rt_ticks(bool on)
{
    if (on) {
        board_tick_setup();
    } else {
        board_tick_stop();
    }
}

static void measured(void)
{
    board_timer_interrupt(board_interrupt_entered());
}

static void virtual_timer(void)
{
    if (virtual_now() >= board_traffic_due) {
        board_traffic_expired();
    }
    if (virtual_now() >= tick_due) {
        board_tick_clear();
        rt_tick_advance();
    } else {
        board_virtual_timer_arm();
    }
}

static void unexpected(void)
{
    board_fault("an interrupt that nobody asked for", 0, 0, 0);
}

static void nothing(void) {}

/* By number; its own pended call is taken before this is asked. */
void (*const gic_vector[])(void) = {
    [0 ... BOARD_TICK_INTID - 1] = unexpected,
    [BOARD_TICK_INTID] = virtual_timer,
    [BOARD_TICK_INTID + 1 ... BOARD_TIMER_INTID - 1] = unexpected,
    [BOARD_TIMER_INTID] = measured,
    [BOARD_TIMER_INTID + 1 ... BOARD_LINE_INTID - 1] = unexpected,
    [BOARD_LINE_INTID] = board_line_interrupt,
    [BOARD_LINE_INTID + 1 ... GIC_INTID_SPURIOUS - 1] = unexpected,
    [GIC_INTID_SPURIOUS] = nothing,
};
