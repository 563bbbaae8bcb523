/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The mcf5208evb board, ColdFire V2: its facts and its clocks.
 */
#ifndef RTSTONE_BOARD_H
#define RTSTONE_BOARD_H

#define BOARD_PIT0 0xfc080000 /* the measured interrupt */
#define BOARD_PIT1 0xfc084000 /* the run's clock, and the tick of a kernel */
#define BOARD_PIT_CONTROL 0
#define BOARD_PIT_MODULUS 2
#define BOARD_PIT_COUNT 4
#define BOARD_VECTOR_PIT0 68
#define BOARD_VECTOR_PIT1 69
#define BOARD_VECTOR_TRAP0 32

/* Levels of interrupt: 7 cannot be masked, so the measured interrupt is at 6. */
#define BOARD_TIMER_LEVEL 6
#define BOARD_CLOCK_LEVEL 3

#ifndef __ASSEMBLER__

#include "board_api.h"

#define BOARD_NAME "mcf5208evb"
#define BOARD_MACHINE "QEMU mcf5208evb"
#define BOARD_INSTRUCTIONS_PER_SECOND "62500000" /* as board.toml has it */
#define BOARD_CPU "ColdFire V2 (MCF5208)"
#define BOARD_CLOCK_NAME "pit1"
#define BOARD_CLOCK_SOURCE "definition: half of the 166.67 MHz system clock"
#define BOARD_TIMER_CLOCK_NAME "pit0"
#define BOARD_TIMER_CLOCK_ID 1
#define BOARD_TIMER_NAME "PIT 0, vector 68"
#define BOARD_TIMER_PRIORITY                                                                                           \
    "level 6, the highest that can be masked; the clock's interrupt, the kernel's tick, is at 3"
#define BOARD_TIMER_ENTERED RTS_ENTERED_VECTOR
#define BOARD_TIMER_PERIOD_MIN 10000u
#define BOARD_TIMER_PERIOD_MAX UINT32_C(0x3fffffff)
#define BOARD_HAS_TRAFFIC 0
#define BOARD_TRAFFIC_WHY_NOT                                                                                          \
    "the emulated board has two timers, the measured one and the run's clock, and no serial line that answers later"
#define BOARD_PLAN_ADDRESS UINT32_C(0x44000000)
#define BOARD_PLAN_ROOM 0x100000u
#define BOARD_MEMORY_BYTES (2u << 20)
#define BOARD_SUB_BITS 11
#define BOARD_WINDOWS 256

#define BOARD_HZ UINT32_C(83333333)
#define BOARD_PIT_RELOAD 0xffffu /* and the emulated PIT's period, where silicon adds one */

static inline uint16_t board_reg16(uint32_t address)
{
    return *(const volatile uint16_t *)address;
}

/** The run's clock at the last wrap of PIT 1 that was served, and the low word of that by itself. */
extern volatile uint64_t board_clock_base;

/** PIT 1 counts down 16 bits; a wrap that is not served yet shows in its flag. May be read anywhere. */
static inline uint64_t board_clock_read(void)
{
    enum { FLAG = 1u << 2 };
    uint64_t base;
    uint32_t passed;
    uint32_t wrapped;
    do {
        base = board_clock_base;
        passed = BOARD_PIT_RELOAD - board_reg16(BOARD_PIT1 + BOARD_PIT_COUNT);
        wrapped = board_reg16(BOARD_PIT1 + BOARD_PIT_CONTROL) & FLAG;
    } while ((uint32_t)base != (uint32_t)board_clock_base);
    if (wrapped != 0 && passed < BOARD_PIT_RELOAD / 2u) {
        passed += BOARD_PIT_RELOAD;
    }
    return base + passed;
}

/** When PIT 0 comes to its end next, on its own clock; 0 while it stands still. */
extern volatile uint64_t board_timer_due;

/**
 * PIT 0 counts down; its clock begins where the run's clock stands when it is started, and is the run's clock while it stands still.
 * Not while interrupts are masked: an expiry must not be pending.
 */
static inline uint64_t board_timer_clock_read(void)
{
    uint64_t due;
    uint32_t left;
    do {
        due = board_timer_due;
        left = board_reg16(BOARD_PIT0 + BOARD_PIT_COUNT);
    } while ((uint32_t)due != (uint32_t)board_timer_due);
    return due != 0 ? due - left : board_clock_read();
}

/** The clock's interrupt: the owner of the vector must call it, at level BOARD_CLOCK_LEVEL. */
void board_clock_interrupt(void);

#endif
#endif
