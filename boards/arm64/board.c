/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The arm64 board, and that with GICv3: PL011 console, the physical timer as the measured interrupt, power-off by PSCI.
 */
#include "board.h"

#define UART 0x09000000u

/* ---- console -------------------------------------------------------------------------------------------------- */

void board_console_write(const char *bytes, size_t count)
{
    enum { FLAGS = 0x18, TRANSMIT_FULL = 1u << 5 };
    for (size_t i = 0; i < count; i++) {
        while ((*board_register32(UART + FLAGS) & TRANSMIT_FULL) != 0) {
        }
        *board_register32(UART) = (unsigned char)bytes[i];
    }
}

/* ---- interrupt controller ------------------------------------------------------------------------------------- */

void board_interrupt_enable(uint32_t intid, uint32_t level)
{
    gic_enable(intid, level);
}

void board_init(void)
{
    gic_init();
}

/* ---- the measured interrupt ----------------------------------------------------------------------------------- */

static struct {
    uint64_t period;
    board_expiry_fn expiry;
    void *arg;
} timer;

uint64_t board_clock_hz(void)
{
    uint64_t hz;
    __asm__("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz;
}

uint64_t board_timer_clock_hz(void)
{
    return board_clock_hz();
}

void board_timer_start(uint64_t period, uint64_t phase, board_expiry_fn expiry, void *arg)
{
    timer.period = period;
    timer.expiry = expiry;
    timer.arg = arg;
    board_interrupt_enable(BOARD_TIMER_INTID, BOARD_TIMER_LEVEL);
    __asm__ volatile("msr cntp_cval_el0, %0\n\t"
                     "msr cntp_ctl_el0, %1\n\t"
                     "isb"
                     :
                     : "r"(board_clock_read() + phase + period), "r"(UINT64_C(1))
                     : "memory");
}

void board_timer_stop(void)
{
    __asm__ volatile("msr cntp_ctl_el0, %0\n\tisb" : : "r"(UINT64_C(2)) : "memory");
}

uint64_t board_timer_vector;

/* The function's first act is the handler's reading, as in the kernel module's handler on Linux: dispatch code runs before it. */
void board_timer_interrupt(uint64_t vector)
{
    const uint64_t entered = board_clock_read();
    uint64_t asserted;
    __asm__ volatile("mrs %0, cntp_cval_el0" : "=r"(asserted));
    /* It may have come while the entry of another was under way, and was served by that one. */
    board_timer_vector = vector < asserted ? entered : vector;
    /* A handler that is late by more than a period is entered again at once, for each period that has passed. */
    __asm__ volatile("msr cntp_cval_el0, %0\n\tisb" : : "r"(asserted + timer.period) : "memory");
    timer.expiry(timer.arg, asserted, entered);
    board_expiry_done();
}

/* ---- the end -------------------------------------------------------------------------------------------------- */

_Noreturn void board_power_off(bool failed)
{
    (void)failed; /* PSCI carries no exit code: the record stream's `bye` has it */
    register uint64_t function __asm__("x0") = 0x84000008u; /* SYSTEM_OFF */
    __asm__ volatile("hvc #0" : "+r"(function) : : "memory");
    for (;;) {
    }
}

/** Called by start.S on an exception that nobody expects. */
_Noreturn void board_exception(uint64_t syndrome, uint64_t address, uint64_t fault)
{
    board_fault("unexpected exception: syndrome, address, fault address", syndrome, address, fault);
}
