/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The zynq-a9 board: UART 0, the processor's private timer as the measured interrupt, power-off by a reset that ends the emulator.
 */
#include "board.h"

#define UART 0xe0000000u
#define SLCR 0xf8000000u

/* ---- console --------------------------------------------------------------------------------------------------- */

enum { UART_CONTROL = 0x0, UART_STATUS = 0x2c, UART_FIFO = 0x30 };

void board_console_write(const char *bytes, size_t count)
{
    enum { TRANSMIT_ENABLE = 0x10, TRANSMIT_FULL = 0x10 };
    *board_register32(UART + UART_CONTROL) = TRANSMIT_ENABLE;
    for (size_t i = 0; i < count; i++) {
        while ((*board_register32(UART + UART_STATUS) & TRANSMIT_FULL) != 0) {
        }
        *board_register32(UART + UART_FIFO) = (unsigned char)bytes[i];
    }
}

/* ---- the measured interrupt ------------------------------------------------------------------------------------ */

volatile uint64_t board_timer_due;
uint64_t board_timer_vector;

static struct {
    uint32_t period;
    uint64_t expected; /* the run's clock at the expiry to come */
    board_expiry_fn expiry;
    void *arg;
} timer;

enum { TIMER_LOAD = 0x0, TIMER_CONTROL = 0x8, TIMER_STATUS = 0xc };
enum { TIMER_ENABLE = 1, TIMER_RELOAD = 2, TIMER_INTERRUPT = 4, TIMER_EXPIRED = 1 };

uint64_t board_clock_hz(void)
{
    return BOARD_HZ;
}

uint64_t board_timer_clock_hz(void)
{
    return BOARD_HZ; /* one clock drives both */
}

void board_timer_start(uint64_t period, uint64_t phase, board_expiry_fn expiry, void *arg)
{
    const uint32_t first = (uint32_t)(period + phase);
    timer.period = (uint32_t)period;
    timer.expiry = expiry;
    timer.arg = arg;
    *board_register32(BOARD_PRIVATE_TIMER + TIMER_CONTROL) = 0;
    *board_register32(BOARD_PRIVATE_TIMER + TIMER_STATUS) = TIMER_EXPIRED;
    *board_register32(BOARD_PRIVATE_TIMER + TIMER_LOAD) =
        (uint32_t)period - 1u; /* it stays at 0 for one tick before it is reloaded */
    *board_register32(BOARD_TIMER_VALUE) = first;
    board_timer_due = board_clock_read() + first;
    timer.expected = board_timer_due;
    *board_register32(BOARD_PRIVATE_TIMER + TIMER_CONTROL) = TIMER_ENABLE | TIMER_RELOAD | TIMER_INTERRUPT;
}

void board_timer_stop(void)
{
    *board_register32(BOARD_PRIVATE_TIMER + TIMER_CONTROL) = 0;
    board_timer_due = 0;
    *board_register32(BOARD_PRIVATE_TIMER + TIMER_STATUS) = TIMER_EXPIRED;
}

/** How long ago the timer expired, by its value. */
static uint32_t late_by(uint32_t value)
{
    return value == 0 ? 0 : timer.period - value;
}

void board_timer_interrupt(void)
{
    const uint32_t value = *board_register32(BOARD_TIMER_VALUE);
    uint32_t at_vector;
    __asm__ volatile("mrc p15, 0, %0, c13, c0, 4" : "=r"(at_vector));
    *board_register32(BOARD_PRIVATE_TIMER + TIMER_STATUS) = TIMER_EXPIRED;
    uint64_t asserted = board_timer_due;
    if (asserted == 0) {
        return; /* stopped between its expiry and this */
    }
    const uint32_t late = late_by(value);
    /* The timer has no mark for an expiry that was masked for a whole period: the run's clock shows it. */
    const uint64_t behind = board_clock_read() - timer.expected;
    uint32_t lost = 0;
    for (uint64_t of = late + timer.period / 2u; behind > of; of += timer.period) {
        lost++;
    }
    const uint64_t last = asserted + (uint64_t)lost * timer.period;
    /* It may have come while the entry of another was under way, and was served by that one. */
    board_timer_vector = last + (late_by(at_vector) < late ? late_by(at_vector) : late);
    board_timer_due = last + timer.period;
    timer.expected += (uint64_t)(lost + 1u) * timer.period;
    for (; asserted <= last; asserted += timer.period) {
        timer.expiry(timer.arg, asserted, last + late);
    }
    board_expiry_done();
}

/* ---- the end --------------------------------------------------------------------------------------------------- */

_Noreturn void board_power_off(bool failed)
{
    enum { TRANSMIT_EMPTY = 8, UNLOCK = 0x8, UNLOCK_KEY = 0xdf0d, RESET = 0x200 };
    (void)failed; /* a reset carries no exit code: the record stream's `bye` has it */
    while ((*board_register32(UART + UART_STATUS) & TRANSMIT_EMPTY) == 0) {
    }
    *board_register32(SLCR + UNLOCK) = UNLOCK_KEY;
    *board_register32(SLCR + RESET) = 1;
    for (;;) {
    }
}
