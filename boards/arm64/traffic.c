/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The arm64 board's interrupts for a load: the virtual timer, shared with a kernel's tick, and a 16550 on the PCI bus in loopback.
 */
#include "board.h"
#include "rtstone_traffic.h"

#define PCI_CONFIGURATION 0x4010000000u
#define PCI_IO 0x3eff0000u
#define BOARD_LINE_INTERRUPT BOARD_LINE_INTID
#include "pci_line.h"

/* ---- the second timer ----------------------------------------------------------------------------------------- */

uint64_t board_traffic_due = UINT64_MAX;

static struct {
    unsigned long long state;
    uint64_t mean;
    uint8_t byte;
} timer;

static uint64_t now(void)
{
    uint64_t value;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(value) : : "memory");
    return value;
}

bool board_traffic_start(uint32_t rate_hz, uint64_t seed)
{
    timer.state = rtstone_traffic_state(seed);
    timer.mean = board_clock_hz() / rate_hz;
    timer.byte = 0;
    if (!line_open()) {
        return false;
    }
    board_interrupt_enable(BOARD_TICK_INTID, BOARD_TICK_LEVEL);
    board_traffic_due = now() + rtstone_traffic_interval(&timer.state, timer.mean);
    board_virtual_timer_arm();
    return true;
}

void board_traffic_expired(void)
{
    board_traffic_due += rtstone_traffic_interval(&timer.state, timer.mean);
    *line(DATA) = timer.byte;
    board_traffic_interrupt(BOARD_TRAFFIC_TIMER);
    board_traffic_event(BOARD_TRAFFIC_TIMER, timer.byte);
    timer.byte++;
    board_expiry_done();
}

void board_traffic_quiet(void)
{
    board_traffic_due = UINT64_MAX;
    board_virtual_timer_arm();
}

void board_traffic_stop(void)
{
    *line(ENABLE) = 0;
    *line(MODEM) = 0;
}
