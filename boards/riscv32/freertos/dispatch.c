/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * FreeRTOS's dispatch on the riscv32 board. The kernel's own entries have saved the registers; its layer for RISC-V lets no interrupt
 * into the handler of another.
 */
#include "FreeRTOS.h"
#include "board.h"

void board_freertos_interrupt(uint32_t cause);
_Noreturn void board_freertos_exception(uint32_t cause, uint32_t next);

void board_freertos_interrupt(uint32_t cause)
{
    enum { NUMBER = 0xff };
    if ((cause & NUMBER) == BOARD_CAUSE_SECOND_TIMER) {
        board_second_timer_interrupt();
        return;
    }
    const uint32_t entered = board_interrupt_entered();
    const uint32_t source = board_claim();
    if (source == BOARD_TIMER_SOURCE) {
        board_timer_interrupt(entered);
    } else if (source == BOARD_LINE_SOURCE) {
        board_line_interrupt();
    }
    board_complete(source);
}

_Noreturn void board_freertos_exception(uint32_t cause, uint32_t next)
{
    (void)next;
    uint32_t address;
    uint32_t value;
    __asm__ volatile("csrr %0, mepc\n\tcsrr %1, mtval" : "=r"(address), "=r"(value));
    board_exception(cause, address, value);
}
