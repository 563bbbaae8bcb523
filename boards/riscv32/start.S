/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reset to main, and the trap vectors: the external interrupt's first act is to note the counter, for every kernel alike.
 */
        .section .text.start, "ax"
        .global board_reset
board_reset:
        csrw    mie, zero
        .option push
        .option norelax
        la      gp, __global_pointer$
        .option pop
        la      sp, board_stack_top
        la      t0, board_bss_begin
        la      t1, board_bss_end
1:      bgeu    t0, t1, 2f
        sw      zero, 0(t0)
        addi    t0, t0, 4
        j       1b
2:      la      t0, board_vectors
        ori     t0, t0, 1               // each cause of an interrupt has a vector of its own
        csrw    mtvec, t0
        call    main
        li      a0, 0
        call    board_power_off

        .text
        .balign 64
        .global board_vectors
        .option push
        .option norvc
board_vectors:
        j       board_exception_handler
        .rept   2
        j       unexpected
        .endr
        j       board_software_handler  // 3: machine software
        j       unexpected
        j       board_second_timer_handler // 5: supervisor timer, taken in machine mode
        j       unexpected
        j       board_tick_handler      // 7: machine timer
        .rept   3
        j       unexpected
        .endr
        j       external_entry          // 11: machine external
        .rept   4
        j       unexpected
        .endr
        .option pop

// The counter goes to a register of the supervisor mode, which nobody uses here, by way of another: no register of the interrupted
// code is lost, no memory is touched. Two instructions stand before the reading: the jump out of the table is one.
        .global board_external_stamp
external_entry:
        csrw    sscratch, t0
board_external_stamp:
        csrr    t0, mcycle
        csrw    stval, t0
        csrr    t0, sscratch
        j       board_external_handler

unexpected:
        csrr    a0, mcause
        csrr    a1, mepc
        csrr    a2, mtval
        j       board_exception

        .weak   board_exception_handler, board_software_handler, board_tick_handler
board_exception_handler = unexpected
board_software_handler = unexpected
board_tick_handler = unexpected
