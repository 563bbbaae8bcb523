/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The arm64 board's interrupts for a load: the virtual timer, shared with a kernel's tick, and a 16550 on the PCI bus in loopback.
 */
#include "board.h"
#include "rtstone_traffic.h"

/* ---- the serial line: device BOARD_LINE_SLOT of the PCI bus, registers in its I/O window ------------------------ */

#define PCI_CONFIGURATION 0x4010000000u
#define PCI_IO 0x3eff0000u
#define LINE_IO 0x1000u
#define PCI_IDENTITY_OF_16550 0x00021b36u

enum { IDENTITY = 0x0, COMMAND = 0x4, COMMAND_IO = 1, BAR0 = 0x10, SLOT_SHIFT = 15 };
/* Registers of the 16550, and what is written to them. */
enum { DATA = 0, ENABLE = 1, FIFO = 2, FORMAT = 3, MODEM = 4, STATUS = 5 };
enum {
    ENABLE_RECEIVED = 1,
    /* A byte is told of when eight have come, or when four byte times have passed since the last: the receiver's own moment, not
     * that of the timer's handler, which wrote it. */
    FIFO_OF_EIGHT = 0x87,
    DIVISOR_OPEN = 0x80,
    EIGHT_BITS = 0x03,
    LOOPBACK = 0x10,
    RECEIVED = 0x01
};

static volatile uint32_t *configuration(uint32_t offset)
{
    return (volatile uint32_t *)(PCI_CONFIGURATION + ((uintptr_t)BOARD_LINE_SLOT << SLOT_SHIFT) + offset);
}

static volatile uint8_t *line(uint32_t offset)
{
    return (volatile uint8_t *)(uintptr_t)(PCI_IO + LINE_IO + offset);
}

static bool line_open(void)
{
    if (*configuration(IDENTITY) != PCI_IDENTITY_OF_16550) {
        return false;
    }
    *configuration(BAR0) = LINE_IO;
    *configuration(COMMAND) = COMMAND_IO;
    *line(FORMAT) = DIVISOR_OPEN;
    *line(DATA) = 1; /* 115200 bit/s: a byte takes 87 µs */
    *line(ENABLE) = 0;
    *line(FORMAT) = EIGHT_BITS;
    *line(FIFO) = FIFO_OF_EIGHT;
    *line(MODEM) = LOOPBACK;
    *line(ENABLE) = ENABLE_RECEIVED;
    board_interrupt_enable(BOARD_LINE_INTID, BOARD_LINE_LEVEL);
    return true;
}

void board_line_interrupt(void)
{
    board_traffic_interrupt(BOARD_TRAFFIC_LINE);
    while ((*line(STATUS) & RECEIVED) != 0) {
        board_traffic_event(BOARD_TRAFFIC_LINE, *line(DATA));
    }
    board_expiry_done();
}

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
