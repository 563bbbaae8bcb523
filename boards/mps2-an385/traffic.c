/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The mps2-an385 board's interrupts for a load: CMSDK timer 1, and the transmitter of UART 1, which has no loopback: the byte whose
 * sending it reports stands for the one that comes back.
 */
#include "board.h"
#include "rtstone_traffic.h"

#define TIMER 0x40001000u
#define UART 0x40005000u

enum { TIMER_CTRL = 0x0, TIMER_VALUE = 0x4, TIMER_RELOAD = 0x8, TIMER_CLEAR = 0xc };
enum { TIMER_ENABLE = 1, TIMER_INTERRUPT = 8 };
enum { UART_DATA = 0x0, UART_CTRL = 0x8, UART_CLEAR = 0xc, UART_BAUDDIV = 0x10 };
enum { TRANSMIT_ENABLE = 1, TRANSMIT_INTERRUPT = 4, TRANSMITTED = 1, BAUDDIV_LEAST = 16 };
enum { NVIC_ENABLE = 0x0, NVIC_DISABLE = 0x80, NVIC_CLEAR_PENDING = 0x180, NVIC_PRIORITY = 0x300 };
#define NVIC 0xe000e100u

static struct {
    unsigned long long state;
    uint64_t mean;
    uint64_t due; /* on the run's clock */
    uint8_t byte;
    uint8_t sent;
} timer;

static void interrupt_enable(uint32_t irq)
{
    *board_register32(NVIC + NVIC_CLEAR_PENDING) = 1u << irq;
    *(volatile uint8_t *)(NVIC + NVIC_PRIORITY + irq) = BOARD_TRAFFIC_LEVEL; /* below the measured interrupt */
    *board_register32(NVIC + NVIC_ENABLE) = 1u << irq;
}

/** The next expiry, counted from when the last was due; at once if that has passed. */
static void timer_set(void)
{
    const uint64_t now = board_clock_read();
    timer.due += rtstone_traffic_interval(&timer.state, timer.mean);
    const uint32_t left = timer.due > now ? (uint32_t)(timer.due - now) : 1u;
    *board_register32(TIMER + TIMER_RELOAD) = UINT32_MAX; /* set again long before it ends */
    *board_register32(TIMER + TIMER_VALUE) = left;
}

bool board_traffic_start(uint32_t rate_hz, uint64_t seed)
{
    timer.state = rtstone_traffic_state(seed);
    timer.mean = BOARD_HZ / rate_hz;
    timer.byte = 0;
    *board_register32(UART + UART_BAUDDIV) = BAUDDIV_LEAST;
    *board_register32(UART + UART_CTRL) = TRANSMIT_ENABLE | TRANSMIT_INTERRUPT;
    *board_register32(UART + UART_CLEAR) = TRANSMITTED;
    *board_register32(TIMER + TIMER_CTRL) = 0;
    *board_register32(TIMER + TIMER_CLEAR) = 1;
    interrupt_enable(BOARD_LINE_IRQ);
    interrupt_enable(BOARD_SECOND_TIMER_IRQ);
    timer.due = board_clock_read();
    timer_set();
    *board_register32(TIMER + TIMER_CTRL) = TIMER_ENABLE | TIMER_INTERRUPT;
    return true;
}

void board_second_timer_interrupt(void);
void board_line_interrupt(void);

void board_second_timer_interrupt(void)
{
    *board_register32(TIMER + TIMER_CLEAR) = 1;
    timer_set();
    timer.sent = timer.byte;
    *board_register32(UART + UART_DATA) = timer.byte;
    board_traffic_interrupt(BOARD_TRAFFIC_TIMER);
    board_traffic_event(BOARD_TRAFFIC_TIMER, timer.byte);
    timer.byte++;
    board_expiry_done();
}

/** Comes before the timer's next: of equal priorities the lower number is first. */
void board_line_interrupt(void)
{
    *board_register32(UART + UART_CLEAR) = TRANSMITTED;
    board_traffic_interrupt(BOARD_TRAFFIC_LINE);
    board_traffic_event(BOARD_TRAFFIC_LINE, timer.sent);
    board_expiry_done();
}

void board_traffic_quiet(void)
{
    *board_register32(NVIC + NVIC_DISABLE) = 1u << BOARD_SECOND_TIMER_IRQ;
    *board_register32(TIMER + TIMER_CTRL) = 0;
}

void board_traffic_stop(void)
{
    *board_register32(NVIC + NVIC_DISABLE) = 1u << BOARD_LINE_IRQ;
    *board_register32(UART + UART_CTRL) = 0;
}
