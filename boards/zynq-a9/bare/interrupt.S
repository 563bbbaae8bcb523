/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The interrupt of an image without a kernel: save what C may change, on the one stack that there is; dispatch, restore.
 */
#define SVC_MODE 0x13

        .syntax unified
        .arm
        .text
        .global board_irq_handler
        .type board_irq_handler, %function
board_irq_handler:
        sub     lr, lr, #4
        srsdb   sp!, #SVC_MODE
        cps     #SVC_MODE
        push    {r0-r3, r12, lr}
        and     r1, sp, #4              // C wants the stack at a multiple of 8
        sub     sp, sp, r1
        vmrs    r0, fpscr
        push    {r0, r1}
        vpush   {d0-d7}
        vpush   {d16-d31}
        bl      board_bare_interrupt
        vpop    {d16-d31}
        vpop    {d0-d7}
        pop     {r0, r1}
        vmsr    fpscr, r0
        add     sp, sp, r1
        pop     {r0-r3, r12, lr}
        rfeia   sp!
        .section .note.GNU-stack, "", %progbits
