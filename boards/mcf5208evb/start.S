/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Vector table and reset to main; the interrupt's first act is to read the counter, for every kernel alike.
 */
#include "board.h"

        .section .vectors, "a"
        .balign 0x100000                /* what the vector base register can hold */
vectors:
        .rept   BOARD_VECTOR_TRAP0
        .long   unexpected
        .endr
        .long   board_yield_handler
        .rept   BOARD_VECTOR_PIT0 - BOARD_VECTOR_TRAP0 - 1
        .long   unexpected
        .endr
        .long   timer_entry
        .long   board_clock_handler
        .rept   256 - BOARD_VECTOR_PIT1 - 1
        .long   unexpected
        .endr

        .text
        .global board_reset
board_reset:
        move.w  #0x2700, %sr
        move.l  #board_stack_top, %sp
        move.l  #vectors, %d0
        movec   %d0, %vbr
        move.l  #board_bss_begin, %a0
        move.l  #board_bss_end, %a1
1:      cmp.l   %a1, %a0
        jcc     2f
        clr.l   (%a0)+
        jra     1b
2:      jsr     main
        clr.l   -(%sp)
        jsr     board_power_off

/* One instruction makes room for the reading; the vector of the clock's interrupt and of trap 0 are the kernel's. */
timer_entry:
        move.l  %d0, -(%sp)
        move.w  BOARD_PIT0 + BOARD_PIT_COUNT, %d0
        move.w  %d0, board_timer_count
        move.l  (%sp)+, %d0
        jmp     board_timer_handler

unexpected:
        move.w  #0x2700, %sr
        jsr     board_exception         /* the exception's frame is its arguments, behind the return address */

        .weak   board_yield_handler
board_yield_handler = unexpected

        .bss
        .balign 4
        .global board_timer_count
board_timer_count:
        .skip   4
