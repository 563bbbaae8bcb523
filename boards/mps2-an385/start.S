/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Vector table and reset to main; the interrupt's first act is to read the timer, for every kernel alike.
 */
#include "board.h"

        .syntax unified
        .thumb
        .section .vectors, "a"
        .word   board_stack_top
        .word   board_reset
        .rept   9                       // faults, and numbers that are not used
        .word   unexpected
        .endr
        .word   SVC_Handler
        .word   unexpected
        .word   unexpected
        .word   PendSV_Handler
        .word   SysTick_Handler
        .rept   BOARD_LINE_IRQ
        .word   unexpected
        .endr
        .word   board_line_interrupt
        .rept   BOARD_TIMER_IRQ - BOARD_LINE_IRQ - 1
        .word   unexpected
        .endr
        .word   timer_entry
        .word   board_second_timer_interrupt
        .rept   32 - BOARD_SECOND_TIMER_IRQ - 1
        .word   unexpected
        .endr

        .text
        .global board_reset
        .thumb_func
board_reset:
        ldr     r0, =board_data_image
        ldr     r1, =board_data_begin
        ldr     r2, =board_data_end
1:      cmp     r1, r2
        ittt    lo
        ldrlo   r3, [r0], #4
        strlo   r3, [r1], #4
        blo     1b
        ldr     r1, =board_bss_begin
        ldr     r2, =board_bss_end
        movs    r3, #0
2:      cmp     r1, r2
        itt     lo
        strlo   r3, [r1], #4
        blo     2b
        bl      main
        movs    r0, #0
        bl      board_power_off

// The hardware has saved r0 to r3: two instructions, the second reads.
        .thumb_func
timer_entry:
        ldr     r0, =BOARD_TIMER_VALUE
        ldr     r0, [r0]
        b.w     board_timer_interrupt

        .weak   SVC_Handler, PendSV_Handler, SysTick_Handler
        .thumb_func
SVC_Handler:
        .thumb_func
PendSV_Handler:
        .thumb_func
SysTick_Handler:
        .thumb_func
unexpected:
        mrs     r0, ipsr
        b.w     board_exception
        .ltorg
