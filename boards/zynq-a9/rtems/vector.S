/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Before RTEMS' own interrupt entry: reads the measured timer, and leaves the value where one processor's RTEMS has no use for the register.
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
    b _ARMV4_Exception_interrupt
    .ltorg
    .section .note.GNU-stack, "", %progbits
