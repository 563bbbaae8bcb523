/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The interrupt controller of the arm64-gicv3 board: GICv3, whose side of the CPU is system registers.
 */
#ifndef RTSTONE_BOARD_GIC_H
#define RTSTONE_BOARD_GIC_H

#include "board_api.h"

#define BOARD_NAME "arm64-gicv3"
#define BOARD_MACHINE "QEMU virt, GICv3"

#define GIC_DISTRIBUTOR 0x08000000u
#define GIC_REDISTRIBUTOR 0x080a0000u /* of the one CPU: its own 32 interrupts are in the frame behind it */
#define GIC_OWN (GIC_REDISTRIBUTOR + 0x10000u)
#define GIC_OWN_INTERRUPTS 32u

static inline void gic_init(void)
{
    enum { CTLR = 0x0, GROUP1_AFFINITY = 1u << 4 | 1u << 1, WAKER = 0x14, SLEEP = 1u << 1, ASLEEP = 1u << 2 };
    *board_register32(GIC_DISTRIBUTOR + CTLR) = GROUP1_AFFINITY;
    *board_register32(GIC_REDISTRIBUTOR + WAKER) &= ~(uint32_t)SLEEP;
    while ((*board_register32(GIC_REDISTRIBUTOR + WAKER) & ASLEEP) != 0) {
    }
    __asm__ volatile("msr icc_sre_el1, %0\n\t" /* system registers, no bypass */
                     "isb\n\t"
                     "msr icc_bpr1_el1, xzr\n\t"
                     "msr icc_pmr_el1, %1\n\t"
                     "msr icc_igrpen1_el1, %2\n\t"
                     "isb"
                     :
                     : "r"(UINT64_C(7)), "r"(UINT64_C(0xff)), "r"(UINT64_C(1))
                     : "memory");
}

/** Gives an interrupt its level, of 32, and lets it in; group 1 is that of IRQ. */
static inline void gic_enable(uint32_t intid, uint32_t level)
{
    enum { IGROUPR = 0x80, ISENABLER = 0x100, IPRIORITYR = 0x400, LEVEL_SHIFT = 3 };
    const uint32_t frame = intid < GIC_OWN_INTERRUPTS ? GIC_OWN : GIC_DISTRIBUTOR;
    const uint32_t word = 4u * (intid / 32u);
    const uint32_t bit = 1u << (intid % 32u);
    *board_register32(frame + IGROUPR + word) |= bit;
    *(volatile uint8_t *)(uintptr_t)(frame + IPRIORITYR + intid) = (uint8_t)(level << LEVEL_SHIFT);
    *board_register32(frame + ISENABLER + word) = bit;
}

/** Acknowledges the pending interrupt and returns its number. Pass that value to gic_end when the interrupt has been served. */
static inline uint32_t gic_acknowledge(void)
{
    uint64_t acknowledged;
    __asm__ volatile("mrs %0, icc_iar1_el1\n\tdsb sy" : "=r"(acknowledged) : : "memory");
    return (uint32_t)acknowledged;
}

static inline void gic_end(uint32_t acknowledged)
{
    __asm__ volatile("msr icc_eoir1_el1, %0" : : "r"((uint64_t)acknowledged) : "memory");
}

#endif
