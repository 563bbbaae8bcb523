/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Entries of a kernel on the ColdFire V2: every interrupt keeps the whole context on the task's stack, so that any may switch.
 */
        .macro  save
        move.w  #0x2600, %sr
        lea     -60(%sp), %sp
        movem.l %d0-%d7/%a0-%a6, (%sp)
        move.l  port_critical_nesting, %d0
        move.l  %d0, -(%sp)
        move.l  pxCurrentTCB, %a0
        move.l  %sp, (%a0)
        .endm

        .macro  restore
        move.l  pxCurrentTCB, %a0
        move.l  (%a0), %sp
        move.l  (%sp)+, %d0
        move.l  %d0, port_critical_nesting
        movem.l (%sp), %d0-%d7/%a0-%a6
        lea     60(%sp), %sp
        rte
        .endm

        .text
        .global board_yield_handler, board_timer_handler, board_clock_handler, port_start_first_task
board_yield_handler:
        save
        jsr     vTaskSwitchContext
        restore
board_timer_handler:
        save
        jsr     board_timer_interrupt
        restore
board_clock_handler:
        save
        jsr     port_tick
        restore
port_start_first_task:
        restore
