/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The riscv32 board: 16550 console, PLIC, the real-time clock's alarm as the measured interrupt, power-off by the test device.
 */
#include "board.h"

#define UART 0x10000000u
#define PLIC 0x0c000000u
#define RTC 0x00101000u
#define TEST_DEVICE 0x00100000u

static volatile uint8_t *reg8(uint32_t address)
{
    return (volatile uint8_t *)address;
}

/* ---- console -------------------------------------------------------------------------------------------------- */

void board_console_write(const char *bytes, size_t count)
{
    enum { DATA = 0, STATUS = 5, TRANSMIT_EMPTY = 1u << 5 };
    for (size_t i = 0; i < count; i++) {
        while ((*reg8(UART + STATUS) & TRANSMIT_EMPTY) == 0) {
        }
        *reg8(UART + DATA) = (uint8_t)bytes[i];
    }
}

/* ---- interrupt controller ------------------------------------------------------------------------------------- */

/* Of context 0: hart 0 in machine mode. */
enum { PLIC_ENABLE = 0x2000, PLIC_THRESHOLD = 0x200000, PLIC_CLAIM = 0x200004 };

void board_interrupt_enable(uint32_t source, uint32_t level)
{
    *board_register32(PLIC + 4u * source) = level;
    *board_register32(PLIC + PLIC_ENABLE + 4u * (source / 32u)) |= 1u << (source % 32u);
}

uint32_t board_claim(void)
{
    return *board_register32(PLIC + PLIC_CLAIM);
}

void board_complete(uint32_t source)
{
    *board_register32(PLIC + PLIC_CLAIM) = source;
}

static void threshold(uint32_t level)
{
    *board_register32(PLIC + PLIC_THRESHOLD) = level; /* sources of this level and below are kept out */
}

void board_run_below(void (*handler)(void))
{
    uint32_t address;
    uint32_t status;
    uint32_t enabled = 1u << BOARD_CAUSE_EXTERNAL;
    threshold(BOARD_LINE_LEVEL);
    __asm__ volatile("csrr %0, mepc\n\tcsrr %1, mstatus\n\tcsrrw %2, mie, %2\n\tcsrsi mstatus, %3"
                     : "=&r"(address), "=&r"(status), "+&r"(enabled)
                     : "i"(BOARD_MSTATUS_MIE)
                     : "memory");
    handler();
    __asm__ volatile("csrci mstatus, %3\n\tcsrw mepc, %0\n\tcsrw mstatus, %1\n\tcsrw mie, %2"
                     :
                     : "r"(address), "r"(status), "r"(enabled), "i"(BOARD_MSTATUS_MIE)
                     : "memory");
    threshold(0);
}

/* ---- the measured interrupt ----------------------------------------------------------------------------------- */

enum { RTC_TIME_LOW = 0x0, RTC_TIME_HIGH = 0x4, RTC_ALARM_LOW = 0x8, RTC_ALARM_HIGH = 0xc };
enum { RTC_ENABLE = 0x10, RTC_CLEAR_ALARM = 0x14, RTC_CLEAR_INTERRUPT = 0x1c };

static struct {
    uint64_t offset; /* of the real-time clock, in ns, to the cycle counter */
    uint64_t due;    /* on the cycle counter */
    uint64_t period;
    board_expiry_fn expiry;
    void *arg;
} timer;

/** How far the real-time clock is ahead: both count the ns of one virtual time, so it is the same number whenever it is asked. */
static uint64_t offset_read(void)
{
    uint32_t before;
    uint32_t rtc_low;
    uint32_t after;
    __asm__ volatile("csrr %0, mcycle\n\t"
                     "lw %1, 0(%3)\n\t"
                     "csrr %2, mcycle"
                     : "=&r"(before), "=&r"(rtc_low), "=&r"(after)
                     : "r"(RTC + RTC_TIME_LOW)
                     : "memory");
    const uint64_t rtc =
        (uint64_t)*board_register32(RTC + RTC_TIME_HIGH) << 32 | rtc_low; /* kept by the reading of the low word */
    const uint64_t now = board_clock_read();
    const uint64_t then = now - (uint32_t)((uint32_t)now - before);
    return rtc - (then + (after - before) / 2u); /* an instruction later, an instruction earlier */
}

void board_init(void)
{
    threshold(0);
    timer.offset = offset_read();
    __asm__ volatile("csrs mie, %0" : : "r"(1u << BOARD_CAUSE_EXTERNAL) : "memory");
}

uint64_t board_clock_hz(void)
{
    return BOARD_HZ;
}

uint64_t board_timer_clock_hz(void)
{
    return BOARD_HZ;
}

/** Sets the alarm; if the time has passed, the interrupt comes at once. */
static void alarm_set(void)
{
    const uint64_t at = timer.due + timer.offset;
    *board_register32(RTC + RTC_ALARM_HIGH) = (uint32_t)(at >> 32);
    *board_register32(RTC + RTC_ALARM_LOW) = (uint32_t)at;
}

void board_timer_start(uint64_t period, uint64_t phase, board_expiry_fn expiry, void *arg)
{
    const uint64_t offset = offset_read();
    if (offset != timer.offset) {
        board_fault("the cycle counter and the real-time clock went apart: offset at start, now", timer.offset, offset,
                    0);
    }
    timer.period = period;
    timer.expiry = expiry;
    timer.arg = arg;
    board_interrupt_enable(BOARD_TIMER_SOURCE, BOARD_TIMER_LEVEL);
    *board_register32(RTC + RTC_ENABLE) = 1;
    timer.due = board_clock_read() + phase + period;
    alarm_set();
}

void board_timer_stop(void)
{
    *board_register32(RTC + RTC_ENABLE) = 0;
    *board_register32(RTC + RTC_CLEAR_ALARM) = 1;
    *board_register32(RTC + RTC_CLEAR_INTERRUPT) = 1;
}

uint64_t board_timer_vector;

/* The function's first act is the handler's reading: dispatch code runs before it. */
void board_timer_interrupt(uint32_t vector)
{
    const uint64_t entered = board_clock_read();
    const uint64_t at_vector = entered - (uint32_t)((uint32_t)entered - vector);
    const uint64_t asserted = timer.due;
    /* It may have come while the entry of another was under way, and was served by that one. */
    board_timer_vector = at_vector < asserted ? entered : at_vector;
    /* A handler that is late by more than a period is entered again at once, for each period that has passed. */
    timer.due = asserted + timer.period;
    *board_register32(RTC + RTC_CLEAR_INTERRUPT) = 1;
    alarm_set();
    timer.expiry(timer.arg, asserted, entered);
    board_expiry_done();
}

/* ---- the end -------------------------------------------------------------------------------------------------- */

_Noreturn void board_power_off(bool failed)
{
    enum { PASS = 0x5555, FAIL_WITH_1 = 0x13333 };
    *board_register32(TEST_DEVICE) = failed ? FAIL_WITH_1 : PASS;
    for (;;) {
    }
}

_Noreturn void board_exception(uint32_t cause, uint32_t address, uint32_t value)
{
    board_fault("unexpected exception: cause, address, value", cause, address, value);
}
