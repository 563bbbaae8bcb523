/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reset to main, and the exception vectors: the interrupt's first act is to note the counter, for every kernel alike.
 */
        .section .text.start, "ax"
        .global _start
_start:
        msr     spsel, #1
        ldr     x0, =board_stack_top
        mov     sp, x0
        ldr     x0, =board_bss_begin
        ldr     x1, =board_bss_end
1:      cmp     x0, x1
        b.hs    2f
        stp     xzr, xzr, [x0], #16
        b       1b
2:      ldr     x0, =board_vectors
        msr     vbar_el1, x0
        mov     x0, #(3 << 20)          // floating point on: kernels save its registers
        msr     cpacr_el1, x0
        isb
        bl      main
        mov     w0, wzr
        bl      board_power_off

// The counter goes to a system register that nobody else uses (attributes of memory, of no account without the MMU), by way of
// another: no register of the interrupted code is lost, no memory is touched. One instruction stands before the reading.
        .macro  interrupt handler
        .balign 128
        msr     tpidr_el1, x0
        mrs     x0, cntpct_el0
        msr     mair_el1, x0
        mrs     x0, tpidr_el1
        b       \handler
        .endm

        .macro  synchronous
        .balign 128
        b       board_sync_handler
        .endm

        .macro  unexpected
        .balign 128
        b       exception
        .endm

        .section .text
        .balign 2048
        .global board_vectors
board_vectors:
        synchronous                     // from this level, stack of EL0: a kernel's tasks
        interrupt board_irq_handler
        unexpected
        unexpected
        synchronous                     // from this level, stack of EL1: bare, and a kernel's own handlers
        interrupt board_nested_irq_handler
        unexpected
        unexpected
        .rept   8                       // from lower levels: no code runs there
        unexpected
        .endr

        .global board_exception_entry
board_exception_entry:
exception:
        mrs     x0, esr_el1
        mrs     x1, elr_el1
        mrs     x2, far_el1
        b       board_exception
