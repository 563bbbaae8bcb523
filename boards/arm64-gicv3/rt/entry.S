/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A task's exception on rt: a system call, whose caller expects x4 to be lost, or nothing that anybody expects.
 */
        .text
        .global board_sync_handler
board_sync_handler:
        mrs     x4, esr_el1
        lsr     x4, x4, #26             // its class
        cmp     x4, #0x15               // svc
        b.ne    board_exception_entry
        b       rt_svc_handler
