/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The second timer's interrupt under FreeRTOS in Rust, whose entry stops for ever at a cause that is neither its tick's nor the external
 * one. It compares eleven bits: the next one marks this as an external interrupt that is none, for dispatch.c.
 */
        .text
        .global board_second_timer_handler
board_second_timer_handler:
        csrw    sscratch, t0
        li      t0, 0x8000080b
        csrw    mcause, t0
        csrr    t0, sscratch
        j       freertos_risc_v_trap_handler
