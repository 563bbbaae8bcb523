/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The line of the load `traffic` where it is a 16550 on a PCI bus. A board's traffic.c defines, and then includes this once:
 *
 *   PCI_CONFIGURATION     where the bus' configuration space lies
 *   PCI_IO                where its I/O window lies
 *   BOARD_LINE_INTERRUPT  the number of the line's interrupt, as board_interrupt_enable takes it
 */
#ifndef RTSTONE_BOARD_PCI_LINE_H
#define RTSTONE_BOARD_PCI_LINE_H

#include "board.h"

/* ---- the serial line: device BOARD_LINE_SLOT of the PCI bus, registers in its I/O window ------------------------ */

#define LINE_IO 0x1000u
#define PCI_IDENTITY_OF_16550 0x00021b36u

enum { IDENTITY = 0x0, COMMAND = 0x4, COMMAND_IO = 1, BAR0 = 0x10, SLOT_SHIFT = 15 };
/* Registers of the 16550, and the values written to them. */
enum { DATA = 0, ENABLE = 1, FIFO = 2, FORMAT = 3, MODEM = 4, STATUS = 5 };
enum {
    ENABLE_RECEIVED = 1,
    /* The receiver interrupts when eight bytes have come, or when four byte times have passed since the last. So the moment is
     * the receiver's own, not that of the timer's handler, which wrote the byte. */
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
    board_interrupt_enable(BOARD_LINE_INTERRUPT, BOARD_LINE_LEVEL);
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

#endif
