/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The zynq-a9 board before main, for kernels that have no start-up of their own: interrupt controller, and the clock.
 */
#include "board.h"

void board_interrupt_enable(uint32_t intid, uint32_t level)
{
    enum { ISENABLER = 0x100, IPRIORITYR = 0x400 };
    *(volatile uint8_t *)(BOARD_GICD + IPRIORITYR + intid) = (uint8_t)level;
    *board_register32(BOARD_GICD + ISENABLER + 4u * (intid / 32u)) = 1u << (intid % 32u);
}

void board_init(void)
{
    enum { CTLR = 0x0, PMR = 0x4, BPR = 0x8, TIMER_CONTROL = 0x8 };
    *board_register32(BOARD_GLOBAL_TIMER + TIMER_CONTROL) = 1;
    *board_register32(BOARD_GICD + CTLR) = 1;
    *board_register32(BOARD_GICC + CTLR) = 1;
    *board_register32(BOARD_GICC + BPR) = 0;
    *board_register32(BOARD_GICC + PMR) = 0xff;
    board_interrupt_enable(BOARD_SECOND_TIMER_INTID, BOARD_TRAFFIC_LEVEL);
    board_interrupt_enable(BOARD_LINE_INTID, BOARD_TRAFFIC_LEVEL);
    board_interrupt_enable(BOARD_TIMER_INTID, BOARD_TIMER_LEVEL);
}

_Noreturn void board_exception(uint32_t status, uint32_t address, uint32_t fault);

/** Called by start.S on an exception that nobody expects. */
_Noreturn void board_exception(uint32_t status, uint32_t address, uint32_t fault)
{
    board_fault("unexpected exception: fault status, address after it, fault address", status, address, fault);
}
