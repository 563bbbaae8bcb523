/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Before each kernel's own interrupt entry: reads the measured timer, and leaves the value where no kernel has a use for the register on one processor.
 */
#include "board.h"

    .syntax unified
    .arm
    .text
    .globl board_interrupt_vector
    .type board_interrupt_vector, %function
board_interrupt_vector:
    mcr p15, 0, r0, c13, c0, 2
    ldr r0, =BOARD_TIMER_VALUE
    ldr r0, [r0]
    mcr p15, 0, r0, c13, c0, 4
    mrc p15, 0, r0, c13, c0, 2
    b board_irq_handler
    .ltorg
    .section .note.GNU-stack, "", %progbits
