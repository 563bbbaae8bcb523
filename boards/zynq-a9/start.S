/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reset to main, and the exception vectors, for kernels that have none of their own.
 */
#define SVC_MODE 0x13
#define IRQ_MODE 0x12

/* A section of 1 MiB, to be read, written and run: ordinary memory with caches; a device. */
#define SECTION_MEMORY 0x1c0e
#define SECTION_DEVICE 0x0c06
#define MEMORY_SECTIONS 0x200
#define SECTIONS 0x1000

/* SCTLR: translation, caches, prediction of branches. CPACR: VFP and NEON. */
#define CONTROL_ON 0x1805
#define COPROCESSORS_ON 0x00f00000
#define FLOAT_ON 0x40000000

        .syntax unified
        .arm
        .section .text.start, "ax"
        .global board_reset
board_reset:
        cpsid   aif, #IRQ_MODE
        ldr     sp, =board_irq_stack_top
        cps     #SVC_MODE
        ldr     sp, =board_stack_top
        ldr     r0, =vectors
        mcr     p15, 0, r0, c12, c0, 0  // VBAR

        ldr     r0, =board_bss_begin
        ldr     r1, =board_bss_end
        mov     r2, #0
1:      cmp     r0, r1
        strlo   r2, [r0], #4
        blo     1b

// Each address to itself. Without translation all memory would be a device's, where unaligned accesses and atomic ones are not allowed.
        ldr     r0, =board_translations
        mov     r1, #0
        ldr     r2, =SECTION_MEMORY
        ldr     r3, =SECTION_DEVICE
2:      cmp     r1, #MEMORY_SECTIONS
        orrlo   r4, r2, r1, lsl #20
        orrhs   r4, r3, r1, lsl #20
        str     r4, [r0, r1, lsl #2]
        add     r1, r1, #1
        cmp     r1, #SECTIONS
        blo     2b
        mov     r1, #0
        mcr     p15, 0, r1, c2, c0, 2   // TTBCR: one table
        mcr     p15, 0, r0, c2, c0, 0   // TTBR0
        mov     r1, #1
        mcr     p15, 0, r1, c3, c0, 0   // DACR: as the table says
        mcr     p15, 0, r1, c8, c7, 0   // TLBIALL
        dsb
        mrc     p15, 0, r0, c1, c0, 0
        ldr     r1, =CONTROL_ON
        orr     r0, r0, r1
        mcr     p15, 0, r0, c1, c0, 0   // SCTLR
        isb

        mov     r0, #COPROCESSORS_ON
        mcr     p15, 0, r0, c1, c0, 2   // CPACR
        isb
        mov     r0, #FLOAT_ON
        vmsr    fpexc, r0
        bl      main
        mov     r0, #0
        bl      board_power_off

        .balign 32
vectors:
        ldr     pc, =unexpected
        ldr     pc, =unexpected
        ldr     pc, =board_svc_handler
        ldr     pc, =unexpected
        ldr     pc, =unexpected
        ldr     pc, =unexpected
        ldr     pc, =board_interrupt_vector
        ldr     pc, =unexpected
        .ltorg

        .weak   board_svc_handler
board_svc_handler:
unexpected:
        mov     r1, lr
        cps     #SVC_MODE
        ldr     sp, =board_stack_top
        mrc     p15, 0, r0, c5, c0, 0   // DFSR
        mrc     p15, 0, r2, c6, c0, 0   // DFAR
        bl      board_exception
        .ltorg
        .section .note.GNU-stack, "", %progbits
