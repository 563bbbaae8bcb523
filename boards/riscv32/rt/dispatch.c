/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel rt's tick and dispatch on the riscv32 board: rt's macro saves registers and changes to the stack of interrupts.
 */
#include <rt/arch/trap.h>
#include <rt/tick.h>

#include "../../../ports/rt/rt_port.h"

void board_rt_tick(void);
void board_external_handler(void);
void board_second_timer_handler(void);

static uint64_t due;

/** The next tick. The high word keeps it from coming while the low one is written. */
static void arm(void)
{
    due += BOARD_MTIME_HZ / RTS_RT_TICK_HZ;
    *board_register32(BOARD_MTIMECMP + 4u) = UINT32_MAX;
    *board_register32(BOARD_MTIMECMP) = (uint32_t)due;
    *board_register32(BOARD_MTIMECMP + 4u) = (uint32_t)(due >> 32);
}

static uint64_t now(void)
{
    uint32_t high;
    uint32_t low;
    do {
        high = *board_register32(BOARD_MTIME + 4u);
        low = *board_register32(BOARD_MTIME);
    } while (high != *board_register32(BOARD_MTIME + 4u));
    return (uint64_t)high << 32 | low;
}

void rts_rt_start_ticks(void)
{
    rts_rt_ticks(true);
}

void rts_rt_ticks(bool on)
{
    const uint32_t tick = 1u << BOARD_CAUSE_TICK;
    if (!on) {
        __asm__ volatile("csrc mie, %0" : : "r"(tick) : "memory");
        return;
    }
    due = now();
    arm();
    __asm__ volatile("csrs mie, %0" : : "r"(tick) : "memory");
}

RT_INTERRUPT_HANDLER(board_rt_tick)
{
    arm();
    rt_tick_advance();
}

RT_INTERRUPT_HANDLER(board_external_handler)
{
    const uint32_t entered = board_interrupt_entered();
    const uint32_t source = board_claim();
    if (source == BOARD_TIMER_SOURCE) {
        board_timer_interrupt(entered);
    } else if (source == BOARD_LINE_SOURCE) {
        board_run_below(board_line_interrupt);
    }
    board_complete(source);
}

RT_INTERRUPT_HANDLER(board_second_timer_handler)
{
    board_run_below(board_second_timer_interrupt);
}
