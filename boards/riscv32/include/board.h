/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The riscv32 board, QEMU's virt machine with an RV32 core: its facts and its clock.
 */
#ifndef RTSTONE_BOARD_H
#define RTSTONE_BOARD_H

#include "board_api.h"

#define BOARD_NAME "riscv32"
#define BOARD_MACHINE "QEMU virt, RV32"
#define BOARD_INSTRUCTIONS_PER_SECOND "62500000" /* as board.toml has it */
#define BOARD_CPU "RV32IMAC, machine mode"
#define BOARD_CLOCK_NAME "mcycle"
#define BOARD_CLOCK_SOURCE "definition: the emulator counts virtual time in ns"
#define BOARD_TIMER_CLOCK_NAME "mcycle"
#define BOARD_TIMER_CLOCK_ID 0
#define BOARD_TIMER_NAME "alarm of the real-time clock (Goldfish), PLIC source 11"
#define BOARD_TIMER_PRIORITY                                                                                           \
    "7 of 7 at the PLIC, a load's line at 1; before the kernel's tick (machine timer) and a load's timer (supervisor " \
    "timer). It breaks into a load's handlers but on FreeRTOS, whose layer lets no interrupt into another"
#define BOARD_TIMER_ENTERED RTS_ENTERED_HANDLER
#define BOARD_TIMER_VECTOR board_timer_vector
#define BOARD_TIMER_PERIOD_MIN 32000u
#define BOARD_TIMER_PERIOD_MAX (UINT64_C(1) << 40)
#define BOARD_HAS_TRAFFIC 1
#define BOARD_TRAFFIC_WHY_NOT NULL
#define BOARD_PLAN_ADDRESS UINT32_C(0x84000000)
#define BOARD_PLAN_ROOM 0x100000u
#define BOARD_MEMORY_BYTES (16u << 20)
#define BOARD_SUB_BITS 11
#define BOARD_WINDOWS 256

#define BOARD_HZ UINT32_C(1000000000)

/* Sources of the PLIC: the real-time clock; the load's serial line, whose place on the PCI bus decides it (32 + slot modulo 4). */
#define BOARD_TIMER_SOURCE 11u
#define BOARD_LINE_SLOT 2u
#define BOARD_LINE_SOURCE (32u + BOARD_LINE_SLOT)
#define BOARD_TIMER_LEVEL 7u
#define BOARD_LINE_LEVEL 1u

/* Causes of an interrupt, and their bits in mie and mip. */
#define BOARD_CAUSE_SECOND_TIMER 5u
#define BOARD_CAUSE_TICK 7u
#define BOARD_CAUSE_EXTERNAL 11u

/** The cycle counter, 64 bits. Each instruction is complete before the next one: nothing moves past a reading. */
static inline uint64_t board_clock_read(void)
{
    uint32_t high;
    uint32_t low;
    uint32_t again;
    __asm__ volatile("1:\tcsrr %0, mcycleh\n\t"
                     "csrr %1, mcycle\n\t"
                     "csrr %2, mcycleh\n\t"
                     "bne %0, %2, 1b"
                     : "=&r"(high), "=&r"(low), "=&r"(again)
                     :
                     : "memory");
    return (uint64_t)high << 32 | low;
}

static inline uint64_t board_timer_clock_read(void)
{
    return board_clock_read();
}

/** In the external interrupt: the low word of the counter as start.S read it before anything else. */
static inline uint32_t board_interrupt_entered(void)
{
    uint32_t entered;
    __asm__ volatile("csrr %0, stval" : "=r"(entered) : : "memory");
    return entered;
}

#define BOARD_MSTATUS_MIE 8 /* interrupts are let in */

/* The machine's time and its compare register: the kernel's tick. */
#define BOARD_MTIME 0x0200bff8u
#define BOARD_MTIMECMP 0x02004000u
#define BOARD_MTIME_HZ 10000000u /* from its device tree */

/** Reads from the PLIC which source is pending (0: none), and reports to it that the source has been served. */
uint32_t board_claim(void);
void board_complete(uint32_t source);

/**
 * In an interrupt that is not the measured one: runs its handler so that the measured one, and no other, may come in between. What
 * returning from the interrupt needs is saved.
 */
void board_run_below(void (*handler)(void));

/** Gives a source of the PLIC its level and lets it in. */
void board_interrupt_enable(uint32_t source, uint32_t level);

/** What board_interrupt_entered said of the interrupt that is being handled, in 64 bits. */
extern uint64_t board_timer_vector;

/** The measured interrupt's work. The kernel's dispatch calls it with the result of board_interrupt_entered. */
void board_timer_interrupt(uint32_t vector);

/** The load's two interrupts: the line's handler, and the second timer's. */
void board_line_interrupt(void);
void board_second_timer_interrupt(void);

/** Says where an unexpected exception was, and ends. */
_Noreturn void board_exception(uint32_t cause, uint32_t address, uint32_t value);

#endif
