/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The dispatch of FreeRTOS in Rust on the riscv32 board. The kernel's own entry has saved the registers; it lets no interrupt into the
 * handler of another.
 */
#include "../../../ports/freertos-rust/freertos_rust.h"

void board_rust_external(void);

void board_rust_external(void)
{
    enum { SECOND_TIMER = 1u << 11 }; /* entry.S sets it */
    uint32_t cause;
    __asm__ volatile("csrr %0, mcause" : "=r"(cause));
    if ((cause & SECOND_TIMER) != 0) {
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
