/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * FreeRTOS in Rust on AArch64 with GICv2: where the controller is, and its tick, which the kernel leaves to the board.
 */
#include "../freertos_rust.h"

void vPortConfigureGIC(uint64_t distributor, uint64_t cpu_interface, uint32_t most_urgent_that_calls);

void rts_rust_prepare(void)
{
    vPortConfigureGIC(BOARD_GICD, BOARD_GICC, BOARD_TIMER_LEVEL);
    board_tick_setup(); /* it is masked until the first task runs */
}

void rts_rust_started(void) {}

void rts_rust_ticks(bool on)
{
    if (on) {
        board_tick_setup();
    } else {
        board_tick_stop();
    }
}
