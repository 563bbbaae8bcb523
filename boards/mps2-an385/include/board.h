/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The mps2-an385 board, Cortex-M3: its facts and its clocks.
 */
#ifndef RTSTONE_BOARD_H
#define RTSTONE_BOARD_H

#define BOARD_TIMER_VALUE 0x40000004 /* CMSDK timer 0 */
#define BOARD_TIMER_IRQ 8
/* The load's: the transmitter of UART 1, CMSDK timer 1. */
#define BOARD_LINE_IRQ 3
#define BOARD_SECOND_TIMER_IRQ 9

#ifndef __ASSEMBLER__

#include "board_api.h"

#define BOARD_NAME "mps2-an385"
#define BOARD_MACHINE "QEMU mps2-an385"
#define BOARD_INSTRUCTIONS_PER_SECOND "15625000" /* as board.toml has it */
#define BOARD_CPU "Cortex-M3"
#define BOARD_CLOCK_NAME "fpga-counter"
#define BOARD_CLOCK_SOURCE "definition: 25 MHz system clock"
#define BOARD_TIMER_CLOCK_NAME "cmsdk-timer0"
#define BOARD_TIMER_CLOCK_ID 1
#define BOARD_TIMER_NAME "CMSDK timer 0, IRQ 8"
/* A kernel that may not be called from these defines others. */
#ifndef BOARD_TIMER_LEVEL
#define BOARD_TIMER_LEVEL 0x20
#define BOARD_TRAFFIC_LEVEL 0x40
#endif
#define BOARD_TEXT_OF(number) #number
#define BOARD_TEXT(number) BOARD_TEXT_OF(number)
#define BOARD_TIMER_PRIORITY                                                                                           \
    BOARD_TEXT(BOARD_TIMER_LEVEL) "; a load's interrupts at " BOARD_TEXT(BOARD_TRAFFIC_LEVEL) "; lower is more urgent"
#define BOARD_TIMER_ENTERED RTS_ENTERED_VECTOR
#define BOARD_TIMER_PERIOD_MIN 5000u
#define BOARD_TIMER_PERIOD_MAX UINT32_C(0x7fffffff)
#define BOARD_HAS_TRAFFIC 1
#define BOARD_TRAFFIC_WHY_NOT NULL
#define BOARD_PLAN_ADDRESS UINT32_C(0x21000000)
#define BOARD_PLAN_ROOM 0x100000u
#define BOARD_MEMORY_BYTES (512u << 10)
#define BOARD_SUB_BITS 7
#define BOARD_WINDOWS 64

#define BOARD_HZ UINT32_C(25000000)

/**
 * The 32-bit counter, extended by the board's counter of seconds. Both began at reset, so the nearest value with these low bits
 * is the right one while they agree to 85 s. The function stores nothing, so any code may call it.
 */
static inline uint64_t board_clock_read(void)
{
    __asm__ volatile("" : : : "memory"); /* the core completes device accesses in program order */
    const uint32_t counter = *board_register32(0x40028018u);
    const uint64_t coarse = (uint64_t)*board_register32(0x40028010u) * BOARD_HZ;
    __asm__ volatile("" : : : "memory");
    return coarse + (uint64_t)(int64_t)(int32_t)(counter - (uint32_t)coarse);
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

#endif
#endif
