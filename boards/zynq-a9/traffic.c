/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The zynq-a9 board's interrupts for a load: the processor's watchdog as a timer, and UART 1 in loopback.
 */
#include "board.h"
#include "rtstone_traffic.h"

#define TIMER 0xf8f00620u
#define UART 0xe0001000u

enum { TIMER_LOAD = 0x0, TIMER_CONTROL = 0x8, TIMER_STATUS = 0xc };
enum { TIMER_ENABLE = 1, TIMER_INTERRUPT = 4, TIMER_EXPIRED = 1 };
enum { CONTROL = 0x0, MODE = 0x4, ENABLE = 0x8, DISABLE = 0xc, CAUSE = 0x14, BAUD = 0x18, TIMEOUT = 0x1c };
enum { TRIGGER = 0x20, STATUS = 0x2c, DATA = 0x30, BAUD_DIVIDER = 0x34 };
enum {
    RESET_BOTH = 0x3,
    ENABLE_BOTH = 0x14,
    LOOPBACK_8N1 = 0x220,
    RECEIVED_EMPTY = 0x2,
    /* The receiver interrupts when eight bytes have come, or when four byte times have passed since the last. */
    CAUSE_TRIGGER = 0x001,
    CAUSE_TIMEOUT = 0x100,
    CAUSE_ALL = 0x1fff
};

static struct {
    unsigned long long state;
    uint64_t mean;
    uint64_t due; /* on the run's clock */
    uint8_t byte;
} timer;

/** The next expiry, counted from when the last was due; at once if that has passed. */
static void timer_set(void)
{
    const uint64_t now = board_clock_read();
    timer.due += rtstone_traffic_interval(&timer.state, timer.mean);
    *board_register32(TIMER + TIMER_LOAD) = timer.due > now ? (uint32_t)(timer.due - now) : 1u;
    *board_register32(TIMER + TIMER_CONTROL) = TIMER_ENABLE | TIMER_INTERRUPT;
}

bool board_traffic_start(uint32_t rate_hz, uint64_t seed)
{
    timer.state = rtstone_traffic_state(seed);
    timer.mean = BOARD_HZ / rate_hz;
    timer.byte = 0;
    *board_register32(UART + CONTROL) = RESET_BOTH;
    *board_register32(UART + BAUD) = 17; /* with the divider 115 200 bit/s of the reset clock: a byte takes 87 µs */
    *board_register32(UART + BAUD_DIVIDER) = 6;
    *board_register32(UART + MODE) = LOOPBACK_8N1; /* after the rate, which the emulator works out here */
    *board_register32(UART + TRIGGER) = 8;
    *board_register32(UART + TIMEOUT) = 10;
    *board_register32(UART + CONTROL) = ENABLE_BOTH;
    *board_register32(UART + CAUSE) = CAUSE_ALL;
    *board_register32(UART + ENABLE) = CAUSE_TRIGGER | CAUSE_TIMEOUT;
    timer.due = board_clock_read();
    timer_set();
    return true;
}

void board_second_timer_interrupt(void)
{
    *board_register32(TIMER + TIMER_STATUS) = TIMER_EXPIRED;
    timer_set();
    *board_register32(UART + DATA) = timer.byte;
    board_traffic_interrupt(BOARD_TRAFFIC_TIMER);
    board_traffic_event(BOARD_TRAFFIC_TIMER, timer.byte);
    timer.byte++;
    board_expiry_done();
}

void board_line_interrupt(void)
{
    board_traffic_interrupt(BOARD_TRAFFIC_LINE);
    while ((*board_register32(UART + STATUS) & RECEIVED_EMPTY) == 0) {
        board_traffic_event(BOARD_TRAFFIC_LINE, (uint8_t)*board_register32(UART + DATA));
    }
    *board_register32(UART + CAUSE) = CAUSE_TRIGGER | CAUSE_TIMEOUT;
    board_expiry_done();
}

void board_traffic_quiet(void)
{
    *board_register32(TIMER + TIMER_CONTROL) = 0;
    *board_register32(TIMER + TIMER_STATUS) = TIMER_EXPIRED;
}

void board_traffic_stop(void)
{
    *board_register32(UART + DISABLE) = CAUSE_ALL;
    *board_register32(UART + CAUSE) = CAUSE_ALL;
}
