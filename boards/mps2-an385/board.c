/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The mps2-an385 board: UART 0, CMSDK timer 0 as the measured interrupt, power-off by semihosting.
 */
#include "board.h"

#define UART 0x40004000u
#define TIMER 0x40000000u

/* ---- console -------------------------------------------------------------------------------------------------- */

void board_init(void)
{
    enum { CTRL = 0x8, TRANSMIT_ENABLE = 1, BAUDDIV = 0x10, BAUDDIV_LEAST = 16 };
    *board_register32(UART + BAUDDIV) = BAUDDIV_LEAST;
    *board_register32(UART + CTRL) = TRANSMIT_ENABLE;
}

void board_console_write(const char *bytes, size_t count)
{
    enum { STATE = 0x4, TRANSMIT_FULL = 1 };
    for (size_t i = 0; i < count; i++) {
        while ((*board_register32(UART + STATE) & TRANSMIT_FULL) != 0) {
        }
        *board_register32(UART) = (unsigned char)bytes[i];
    }
}

/* ---- interrupts, for an image without a kernel ---------------------------------------------------------------- */

void board_interrupts_on(void)
{
    __asm__ volatile("cpsie i" : : : "memory");
}

bool board_interrupts_off(void)
{
    uint32_t masks;
    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(masks) : : "memory");
    return (masks & 1u) == 0;
}

void board_interrupts_restore(bool on)
{
    if (on) {
        board_interrupts_on();
    }
}

/* ---- the measured interrupt ----------------------------------------------------------------------------------- */

volatile uint64_t board_timer_due;

static struct {
    uint32_t period;
    uint32_t expected; /* the low word of the run's clock at the expiry to come */
    board_expiry_fn expiry;
    void *arg;
} timer;

enum { TIMER_CTRL = 0x0, TIMER_VALUE = 0x4, TIMER_RELOAD = 0x8, TIMER_CLEAR = 0xc };
enum { TIMER_ENABLE = 1, TIMER_INTERRUPT = 8 };
#define NVIC_ENABLE 0xe000e100u
#define NVIC_DISABLE 0xe000e180u
#define NVIC_CLEAR_PENDING 0xe000e280u
#define NVIC_PRIORITY 0xe000e400u

uint64_t board_clock_hz(void)
{
    return BOARD_HZ;
}

uint64_t board_timer_clock_hz(void)
{
    return BOARD_HZ; /* one system clock drives both */
}

void board_timer_start(uint64_t period, uint64_t phase, board_expiry_fn expiry, void *arg)
{
    const uint32_t first = (uint32_t)(period + phase);
    timer.period = (uint32_t)period;
    timer.expiry = expiry;
    timer.arg = arg;
    *board_register32(TIMER + TIMER_CTRL) = 0;
    *board_register32(TIMER + TIMER_RELOAD) = (uint32_t)period - 1u; /* it stays at 0 for a tick before the reload */
    *board_register32(TIMER + TIMER_VALUE) = first;
    *board_register32(TIMER + TIMER_CLEAR) = 1;
    *board_register32(NVIC_CLEAR_PENDING) = 1u << BOARD_TIMER_IRQ;
    *(volatile uint8_t *)(NVIC_PRIORITY + BOARD_TIMER_IRQ) = BOARD_TIMER_LEVEL;
    *board_register32(NVIC_ENABLE) = 1u << BOARD_TIMER_IRQ;
    board_timer_due = board_clock_read() + first;
    timer.expected = (uint32_t)board_timer_due;
    *board_register32(TIMER + TIMER_CTRL) = TIMER_ENABLE | TIMER_INTERRUPT;
}

void board_timer_stop(void)
{
    *board_register32(NVIC_DISABLE) = 1u << BOARD_TIMER_IRQ;
    *board_register32(TIMER + TIMER_CTRL) = 0;
    board_timer_due = 0;
    *board_register32(TIMER + TIMER_CLEAR) = 1;
    *board_register32(NVIC_CLEAR_PENDING) = 1u << BOARD_TIMER_IRQ;
}

void board_timer_interrupt(uint32_t value);

/** The low word of the run's clock. */
static uint32_t counter_read(void)
{
    return *board_register32(0x40028018u);
}

/** Called by start.S with the timer's value, read before anything else. */
void board_timer_interrupt(uint32_t value)
{
    const uint32_t period = timer.period;
    const uint32_t late = value == 0 ? 0 : period - value;
    *board_register32(TIMER + TIMER_CLEAR) = 1;
    /* The timer has no mark for an expiry that was masked for a whole period: the run's clock shows it. */
    uint32_t lost = 0;
    const int32_t half = (int32_t)(period / 2u);
    for (int32_t behind = (int32_t)(counter_read() - timer.expected - late); behind > half; behind -= (int32_t)period) {
        lost++;
    }
    uint64_t asserted = board_timer_due;
    const uint64_t entered = asserted + (uint64_t)lost * period + late;
    board_timer_due = asserted + (uint64_t)(lost + 1u) * period;
    timer.expected += (lost + 1u) * period;
    for (; lost > 0; lost--) {
        timer.expiry(timer.arg, asserted, entered);
        asserted += period;
    }
    timer.expiry(timer.arg, asserted, entered);
    board_expiry_done();
}

/* ---- the end -------------------------------------------------------------------------------------------------- */

_Noreturn void board_power_off(bool failed)
{
    /* SYS_EXIT_EXTENDED with ADP_Stopped_ApplicationExit (Arm semihosting, 6.4). */
    const uint32_t reason[2] = {0x20026u, failed ? 1u : 0u};
    register uint32_t operation __asm__("r0") = 0x20;
    register const uint32_t *block __asm__("r1") = reason;
    __asm__ volatile("bkpt 0xab" : "+r"(operation) : "r"(block) : "memory");
    for (;;) {
    }
}

_Noreturn void board_exception(uint32_t number);

/** Called by start.S on an exception that nobody expects. */
_Noreturn void board_exception(uint32_t number)
{
    board_fault("unexpected exception: number, configurable fault status, fault address", number,
                *board_register32(0xe000ed28u), *board_register32(0xe000ed38u));
}
