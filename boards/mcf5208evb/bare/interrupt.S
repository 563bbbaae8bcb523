/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The interrupts of an image without a kernel: save what C may change, work, restore.
 */
        .macro  handler name, work
        .global \name
\name:
        lea     -16(%sp), %sp
        movem.l %d0-%d1/%a0-%a1, (%sp)
        jsr     \work
        movem.l (%sp), %d0-%d1/%a0-%a1
        lea     16(%sp), %sp
        rte
        .endm

        .text
        handler board_timer_handler, board_timer_interrupt
        handler board_clock_handler, board_clock_interrupt
