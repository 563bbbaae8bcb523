/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The interrupt controller of the arm64 board: GICv2, whose registers all lie in memory.
 */
#ifndef RTSTONE_BOARD_GIC_H
#define RTSTONE_BOARD_GIC_H

#include "board_api.h"

#define BOARD_NAME "arm64"
#define BOARD_MACHINE "QEMU virt, GICv2"

#define BOARD_GICD 0x08000000u
#define BOARD_GICC 0x08010000u

static inline void gic_init(void)
{
    enum { CTLR = 0x0, PMR = 0x4, BPR = 0x8 };
    *board_register32(BOARD_GICD + CTLR) = 1;
    *board_register32(BOARD_GICC + CTLR) = 1;
    *board_register32(BOARD_GICC + BPR) = 0;
    *board_register32(BOARD_GICC + PMR) = 0xff;
}

/** Gives an interrupt its level, of 32, and lets it in. */
static inline void gic_enable(uint32_t intid, uint32_t level)
{
    enum { ISENABLER = 0x100, IPRIORITYR = 0x400, LEVEL_SHIFT = 3 };
    *(volatile uint8_t *)(uintptr_t)(BOARD_GICD + IPRIORITYR + intid) = (uint8_t)(level << LEVEL_SHIFT);
    *board_register32(BOARD_GICD + ISENABLER + 4u * (intid / 32u)) = 1u << (intid % 32u);
}

/** Acknowledges the pending interrupt and returns its number. Pass that value to gic_end when the interrupt has been served. */
static inline uint32_t gic_acknowledge(void)
{
    enum { IAR = 0xc };
    return *board_register32(BOARD_GICC + IAR);
}

static inline void gic_end(uint32_t acknowledged)
{
    enum { EOIR = 0x10 };
    *board_register32(BOARD_GICC + EOIR) = acknowledged;
}

#endif
