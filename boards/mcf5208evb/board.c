/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The mcf5208evb board: UART 0, PIT 1 as clock, PIT 0 as the measured interrupt, power-off by semihosting.
 */
#include "board.h"

#define UART 0xfc060000u
#define INTC 0xfc048000u

static volatile uint16_t *reg16(uint32_t address)
{
    return (volatile uint16_t *)address;
}

static volatile uint8_t *reg8(uint32_t address)
{
    return (volatile uint8_t *)address;
}

/* PIT control: enable, reload at the end, interrupt flag (written to clear), interrupt enable, a new modulus counts at once. */
enum { PIT_EN = 1, PIT_RLD = 2, PIT_PIF = 4, PIT_PIE = 8, PIT_OVW = 16 };
enum { SOURCE_PIT0 = 4, SOURCE_PIT1 = 5 };

/* ---- console -------------------------------------------------------------------------------------------------- */

void board_console_write(const char *bytes, size_t count)
{
    enum { STATUS = 0x4, TRANSMIT_READY = 1u << 2, TRANSMIT = 0xc };
    for (size_t i = 0; i < count; i++) {
        while ((*reg8(UART + STATUS) & TRANSMIT_READY) == 0) {
        }
        *reg8(UART + TRANSMIT) = (uint8_t)bytes[i];
    }
}

static void console_init(void)
{
    enum { COMMAND = 0x8, TRANSMIT_ENABLE = 1u << 2 };
    *reg8(UART + COMMAND) = TRANSMIT_ENABLE;
}

/* ---- interrupts ----------------------------------------------------------------------------------------------- */

static void interrupt_enable(uint32_t source, uint8_t level)
{
    enum { CLEAR_MASK = 0x1d, LEVEL = 0x40 };
    *reg8(INTC + LEVEL + source) = level;
    *reg8(INTC + CLEAR_MASK) = (uint8_t)source;
}

void board_interrupts_on(void)
{
    __asm__ volatile("move.w #0x2000, %%sr" : : : "memory");
}

bool board_interrupts_off(void)
{
    uint32_t status = 0;
    __asm__ volatile("move.w %%sr, %0\n\tmove.w #0x2700, %%sr" : "=d"(status) : : "memory");
    return (status & 0x700u) == 0;
}

void board_interrupts_restore(bool on)
{
    if (on) {
        board_interrupts_on();
    }
}

/* ---- the run's clock ------------------------------------------------------------------------------------------ */

volatile uint64_t board_clock_base;

uint64_t board_clock_hz(void)
{
    return BOARD_HZ;
}

void board_clock_interrupt(void)
{
    /* Who reads the clock in the measured interrupt must see both or neither. */
    uint32_t status = 0;
    __asm__ volatile("move.w %%sr, %0\n\tmove.w #0x2700, %%sr" : "=d"(status) : : "memory");
    *reg16(BOARD_PIT1 + BOARD_PIT_CONTROL) = PIT_EN | PIT_RLD | PIT_PIE | PIT_PIF;
    board_clock_base += BOARD_PIT_RELOAD;
    __asm__ volatile("move.w %0, %%sr" : : "d"(status) : "memory");
}

void board_init(void)
{
    console_init();
    *reg16(BOARD_PIT1 + BOARD_PIT_CONTROL) = PIT_RLD | PIT_OVW;
    *reg16(BOARD_PIT1 + BOARD_PIT_MODULUS) = BOARD_PIT_RELOAD;
    interrupt_enable(SOURCE_PIT1, BOARD_CLOCK_LEVEL);
    *reg16(BOARD_PIT1 + BOARD_PIT_CONTROL) = PIT_EN | PIT_RLD | PIT_PIE;
}

/* ---- the measured interrupt ----------------------------------------------------------------------------------- */

volatile uint64_t board_timer_due;

/** A part of a period, for periods that are longer than 16 bits: only the last part's end is an expiry. */
typedef struct part {
    uint32_t ticks;
    bool last;
} part;

static struct {
    uint32_t period;
    uint32_t left;     /* of the period that is being cut into parts */
    part running;      /* in the counter */
    part next;         /* in the modulus register: loaded when the running one ends */
    uint32_t expected; /* the low word of the run's clock at the end of the running part */
    board_expiry_fn expiry;
    void *arg;
} timer;

uint64_t board_timer_clock_hz(void)
{
    return BOARD_HZ; /* one system clock drives both */
}

static part cut(void)
{
    if (timer.left == 0) {
        timer.left = timer.period;
    }
    part piece = {timer.left, true};
    if (timer.left > BOARD_PIT_RELOAD) {
        /* Never a short last part, whose interrupt would meet the handler of the one before. */
        piece.ticks = timer.left > 2u * BOARD_PIT_RELOAD ? BOARD_PIT_RELOAD : timer.left / 2u;
        piece.last = false;
    }
    timer.left -= piece.ticks;
    return piece;
}

void board_timer_start(uint64_t period, uint64_t phase, board_expiry_fn expiry, void *arg)
{
    timer.period = (uint32_t)period;
    timer.left = (uint32_t)(period + phase);
    timer.expiry = expiry;
    timer.arg = arg;
    timer.running = cut();
    timer.next = cut();
    *reg16(BOARD_PIT0 + BOARD_PIT_CONTROL) = PIT_RLD | PIT_OVW | PIT_PIF;
    *reg16(BOARD_PIT0 + BOARD_PIT_MODULUS) = (uint16_t)timer.running.ticks;
    interrupt_enable(SOURCE_PIT0, BOARD_TIMER_LEVEL);
    board_timer_due = board_clock_read() + timer.running.ticks;
    timer.expected = (uint32_t)board_timer_due;
    *reg16(BOARD_PIT0 + BOARD_PIT_CONTROL) = PIT_EN | PIT_RLD | PIT_PIE;
    *reg16(BOARD_PIT0 + BOARD_PIT_MODULUS) = (uint16_t)timer.next.ticks;
}

void board_timer_stop(void)
{
    const bool on = board_interrupts_off();
    *reg16(BOARD_PIT0 + BOARD_PIT_CONTROL) = PIT_PIF;
    board_timer_due = 0;
    board_interrupts_restore(on);
}

/** At the counter's end: the value in the modulus register runs now, and the part after it goes into the register. */
static void advance(void)
{
    timer.running = timer.next;
    timer.next = cut();
    *reg16(BOARD_PIT0 + BOARD_PIT_MODULUS) = (uint16_t)timer.next.ticks;
    timer.expected += timer.running.ticks;
}

void board_timer_interrupt(void);
extern volatile uint16_t board_timer_count;

/** Called after start.S has put the counter's value into board_timer_count before anything else. */
void board_timer_interrupt(void)
{
    const uint32_t count = board_timer_count;
    uint64_t asserted = board_timer_due;
    const uint32_t expected = timer.expected;
    const bool last = timer.running.last;
    *reg16(BOARD_PIT0 + BOARD_PIT_CONTROL) = PIT_EN | PIT_RLD | PIT_PIE | PIT_PIF;
    advance();
    const uint32_t ticks = timer.running.ticks;
    uint64_t entered = asserted + ticks - count;
    /* The PIT has no mark for an end that was masked for a whole period: the run's clock shows it. */
    const int32_t period = (int32_t)ticks;
    int32_t behind = (int32_t)((uint32_t)board_clock_read() - expected - (ticks - count));
    if (behind > period / 2 && ticks != timer.period) {
        board_fault("a part of a long period was lost: behind, part, period", (uint32_t)behind, ticks, timer.period);
    }
    for (int32_t i = behind; i > period / 2; i -= period) {
        entered += ticks;
    }
    for (; behind > period / 2; behind -= period) {
        timer.expiry(timer.arg, asserted, entered);
        asserted += ticks;
        timer.expected += ticks;
    }
    board_timer_due = asserted + ticks;
    if (last) {
        timer.expiry(timer.arg, asserted, entered);
        board_expiry_done();
    }
}

/* ---- the end -------------------------------------------------------------------------------------------------- */

_Noreturn void board_power_off(bool failed)
{
    (void)failed; /* the emulated exit carries no code: the record stream's `bye` has it */
    /* HOSTED_EXIT of the m68k semihosting protocol; halt and its mark must be aligned so. */
    __asm__ volatile("move.w #0x2700, %%sr\n\t"
                     "clr.l %%d0\n\t"
                     "clr.l %%d1\n\t"
                     ".balignw 4, 0x4e71\n\t"
                     "nop\n\t"
                     "halt\n\t"
                     ".long 0x4e7bf000"
                     :
                     :
                     : "d0", "d1", "memory");
    for (;;) {
    }
}

_Noreturn void board_exception(uint32_t format, uint32_t address);

/** Called by start.S on an exception that nobody expects. */
_Noreturn void board_exception(uint32_t format, uint32_t address)
{
    board_fault("unexpected exception: format, vector and status; address", format, address, 0);
}
