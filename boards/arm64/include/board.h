/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The arm64 board, QEMU's virt machine: its facts and its clock. board_gic.h has the parts that depend on its interrupt controller.
 */
#ifndef RTSTONE_BOARD_H
#define RTSTONE_BOARD_H

#define BOARD_TIMER_INTID 30 /* the non-secure physical timer, CNTP */
#define BOARD_TICK_INTID 27  /* the virtual timer, CNTV */
/* 32 levels of priority, the kernel's calls are masked from 17 on: the highest level whose handler may call FreeRTOS. */
#define BOARD_TIMER_LEVEL 17
#define BOARD_TICK_LEVEL 29 /* 30 is that of rt's pended calls, which its tick makes */
/* The load's serial line: its place on the PCI bus decides its interrupt (SPI 3 + slot modulo 4). */
#define BOARD_LINE_SLOT 2
#define BOARD_LINE_INTID (32 + 3 + BOARD_LINE_SLOT)
#define BOARD_LINE_LEVEL 28
#define BOARD_HAS_TRAFFIC 1
#define BOARD_TRAFFIC_WHY_NOT NULL

#ifndef __ASSEMBLER__

#include "board_api.h"
#include <board_gic.h> /* of the board that is built, which need not be this folder's */

#define BOARD_INSTRUCTIONS_PER_SECOND "62500000" /* as board.toml has it */
#define BOARD_CPU "Cortex-A57"
#define BOARD_CLOCK_NAME "cntpct"
#define BOARD_CLOCK_SOURCE "register CNTFRQ_EL0"
#define BOARD_TIMER_CLOCK_NAME "cntpct"
#define BOARD_TIMER_CLOCK_ID 0
#define BOARD_TIMER_NAME "CNTP, INTID 30"
#define BOARD_TIMER_PRIORITY                                                                                           \
    "17 of 32, the highest from which FreeRTOS may be called; the kernel's tick is at 29, a load's interrupts at 28 and 29"
#define BOARD_TIMER_ENTERED RTS_ENTERED_HANDLER
#define BOARD_TIMER_VECTOR board_timer_vector
#define BOARD_TIMER_PERIOD_MIN 2000u
#define BOARD_TIMER_PERIOD_MAX (UINT64_C(1) << 40)
#define BOARD_PLAN_ADDRESS UINT64_C(0x50000000)
#define BOARD_PLAN_ROOM 0x100000u
#define BOARD_MEMORY_BYTES (16u << 20)
#define BOARD_SUB_BITS 11
#define BOARD_WINDOWS 256

/** The physical counter; isb on both sides, because its reads may be speculated and reordered (Arm ARM D11.2.1). */
static inline uint64_t board_clock_read(void)
{
    uint64_t now;
    __asm__ volatile("isb\n\tmrs %0, cntpct_el0\n\tisb" : "=r"(now) : : "memory");
    return now;
}

static inline uint64_t board_timer_clock_read(void)
{
    return board_clock_read();
}

/** In the interrupt: the counter as start.S read it before anything else. */
static inline uint64_t board_interrupt_entered(void)
{
    uint64_t entered;
    __asm__ volatile("mrs %0, mair_el1" : "=r"(entered) : : "memory");
    return entered;
}

/** What board_interrupt_entered said of the interrupt that is being handled. */
extern uint64_t board_timer_vector;

/** The measured interrupt's work. The kernel's dispatch calls it with the result of board_interrupt_entered. */
void board_timer_interrupt(uint64_t vector);

/** The load's two interrupts: the line's handler; the second timer's, which shares CNTV with a kernel's tick. */
void board_line_interrupt(void);
void board_traffic_expired(void);

/** When the second timer is due, by CNTVCT; UINT64_MAX: never. */
extern uint64_t board_traffic_due;

/** Implemented by each kernel's dispatch: sets CNTV to the next event that is due. */
void board_virtual_timer_arm(void);

/** For a kernel with a tick (board_tick.h): starts the tick, stops it, acknowledges it. */
void board_tick_setup(void);
void board_tick_stop(void);
void board_tick_clear(void);

/** Gives an interrupt its level and lets it in. */
void board_interrupt_enable(uint32_t intid, uint32_t level);

#endif
#endif
