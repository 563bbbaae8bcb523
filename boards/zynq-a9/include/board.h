/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The zynq-a9 board, Cortex-A9: its facts and its clocks.
 */
#ifndef RTSTONE_BOARD_H
#define RTSTONE_BOARD_H

#define BOARD_GICC 0xf8f00100
#define BOARD_GICD 0xf8f01000
#define BOARD_GLOBAL_TIMER 0xf8f00200
#define BOARD_PRIVATE_TIMER 0xf8f00600
#define BOARD_TIMER_VALUE 0xf8f00604
#define BOARD_TIMER_INTID 29
/* 32 levels, the upper five bits. FreeRTOS may be called from 0x88 on. */
#define BOARD_TIMER_LEVEL 0x88
/* The kernel's tick: the global timer's comparator. */
#define BOARD_TICK_INTID 27
#define BOARD_TICK_LEVEL 0xf0
/* The load's: the watchdog as a timer, UART 1. */
#define BOARD_SECOND_TIMER_INTID 30
#define BOARD_LINE_INTID 82
#define BOARD_TRAFFIC_LEVEL 0xa0
#define BOARD_HAS_TRAFFIC 1
#define BOARD_TRAFFIC_WHY_NOT NULL

#ifndef __ASSEMBLER__

#include "board_api.h"

#define BOARD_NAME "zynq-a9"
#define BOARD_MACHINE "QEMU xilinx-zynq-a9"
#define BOARD_INSTRUCTIONS_PER_SECOND "62500000" /* as board.toml has it */
#define BOARD_CPU "Cortex-A9"
#define BOARD_CLOCK_NAME "a9-global-timer"
#define BOARD_CLOCK_SOURCE "definition: the emulated timers of the processor run at 100 MHz"
#define BOARD_TIMER_CLOCK_NAME "a9-private-timer"
#define BOARD_TIMER_CLOCK_ID 1
#define BOARD_TIMER_NAME "private timer of the Cortex-A9, INTID 29"
#define BOARD_TIMER_PRIORITY "0x88; a load's interrupts at 0xa0, the kernel's tick at 0xf0; lower is more urgent"
#define BOARD_TIMER_ENTERED RTS_ENTERED_HANDLER
#define BOARD_TIMER_VECTOR board_timer_vector
#define BOARD_TIMER_PERIOD_MIN 5000u
#define BOARD_TIMER_PERIOD_MAX UINT32_C(0x7fffffff)
#define BOARD_PLAN_ADDRESS UINT32_C(0x18000000)
#define BOARD_PLAN_ROOM 0x100000u
#define BOARD_MEMORY_BYTES (2u << 20)
#define BOARD_SUB_BITS 11
#define BOARD_WINDOWS 256

#define BOARD_HZ UINT32_C(100000000)

/** The global timer's 64 bits, read until both halves fit. */
static inline uint64_t board_clock_read(void)
{
    uint32_t high;
    uint32_t low;
    __asm__ volatile("" : : : "memory"); /* the emulator completes accesses in program order */
    do {
        high = *board_register32(BOARD_GLOBAL_TIMER + 4u);
        low = *board_register32(BOARD_GLOBAL_TIMER);
    } while (*board_register32(BOARD_GLOBAL_TIMER + 4u) != high);
    __asm__ volatile("" : : : "memory");
    return (uint64_t)high << 32 | low;
}

/** When the timer expires next, on its own clock; 0 while it stands still. */
extern volatile uint64_t board_timer_due;

/**
 * The timer counts down to its expiry; its clock begins where the run's clock stands when it is started, and is the run's clock while
 * it stands still. Not while interrupts are masked: an expiry must not be pending.
 */
static inline uint64_t board_timer_clock_read(void)
{
    uint64_t due;
    uint32_t left;
    do {
        due = board_timer_due;
        left = *board_register32(BOARD_TIMER_VALUE);
    } while (due != board_timer_due);
    return due != 0 ? due - left : board_clock_read();
}

/** When the interrupt that is being handled was at the processor's vector, on the timer's clock. */
extern uint64_t board_timer_vector;

/** The measured interrupt's work; called first of all by the kernel's handler. */
void board_timer_interrupt(void);

/** The load's two. */
void board_second_timer_interrupt(void);
void board_line_interrupt(void);

/** Gives an interrupt its level and lets it in; where the kernel does not. */
void board_interrupt_enable(uint32_t intid, uint32_t level);

#endif
#endif
