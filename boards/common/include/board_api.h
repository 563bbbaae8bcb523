/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a board gives to the kernels that run on it: console, plan, power-off, the measured timer. Written in its board.c.
 */
#ifndef RTSTONE_BOARD_API_H
#define RTSTONE_BOARD_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * board.h of each board includes this header and defines:
 *
 *   BOARD_NAME, BOARD_MACHINE, BOARD_CPU       text for the record
 *   BOARD_CLOCK_NAME, BOARD_CLOCK_SOURCE       of the clock that board_clock_read reads
 *   BOARD_TIMER_CLOCK_NAME                     of the clock that board_timer_clock_read reads
 *   BOARD_TIMER_CLOCK_ID                       0 where both are one clock, else 1
 *   BOARD_TIMER_NAME, BOARD_TIMER_PRIORITY     the measured interrupt and its priority, text for the record
 *   BOARD_TIMER_ENTERED                        where its handler's reading is taken: RTS_ENTERED_VECTOR or RTS_ENTERED_HANDLER
 *   BOARD_TIMER_VECTOR                         optional: the reading at the vector beside it, for rts_port_timer_vector
 *   BOARD_TIMER_PERIOD_MIN, BOARD_TIMER_PERIOD_MAX   in ticks; a shorter period would leave no time for tasks
 *   BOARD_PLAN_ADDRESS, BOARD_PLAN_ROOM        where the emulator puts the plan
 *   BOARD_MEMORY_BYTES                         room for a run's state
 *   BOARD_SUB_BITS                             histogram resolution that this memory allows
 *   BOARD_WINDOWS                              windows of the time plot: folding them must take less than a period of 250 us
 *   BOARD_HAS_TRAFFIC                          1: it has what the board_traffic_ functions need; else 0
 *   BOARD_TRAFFIC_WHY_NOT                      what it lacks, text for the table's note; NULL if it lacks nothing
 *   static inline uint64_t board_clock_read(void)         64 bits, never wraps; callable anywhere
 *   static inline uint64_t board_timer_clock_read(void)   likewise; on the same scale as the times passed to board_expiry_fn
 */

/** A device's register of 32 bits. */
static inline volatile uint32_t *board_register32(uintptr_t address)
{
    return (volatile uint32_t *)address;
}

/** Called at each expiry, in the interrupt: both times on the timer's clock, see rts_isr. */
typedef void (*board_expiry_fn)(void *arg, uint64_t asserted, uint64_t entered);

/** Sets up console, clocks and interrupt controller. Interrupts stay masked. The first call of main. */
void board_init(void);

/** For an image without a kernel: lets interrupts in; masks them and says whether they were let in; puts that back. */
void board_interrupts_on(void);
bool board_interrupts_off(void);
void board_interrupts_restore(bool on);

/** Writes to the console; waits for it. */
void board_console_write(const char *bytes, size_t count);

/** Ends the emulation, where the board can; else stops for ever. */
_Noreturn void board_power_off(bool failed);

/** Ticks a second of the run's clock and of the timer's. */
uint64_t board_clock_hz(void);
uint64_t board_timer_clock_hz(void);

/**
 * Starts the measured interrupt: first expiry after phase + period ticks, then one every period. The period must lie in
 * [BOARD_TIMER_PERIOD_MIN, BOARD_TIMER_PERIOD_MAX], the phase in [0, BOARD_TIMER_PERIOD_MAX].
 */
void board_timer_start(uint64_t period, uint64_t phase, board_expiry_fn expiry, void *arg);

/** Ends it: expiry is not called again once this returns. */
void board_timer_stop(void);

/* ---- interrupts for a load, below the measured one ------------------------------------------------------------- */

#define BOARD_TRAFFIC_TIMER 0u /* rts_traffic_source */
#define BOARD_TRAFFIC_LINE 1u

/** Starts the second timer, whose handler writes a byte to the line, and the line, which gets it back. False: they are not there. */
bool board_traffic_start(uint32_t rate_hz, uint64_t seed);

/** Stops the timer; bytes that are on the line still come. */
void board_traffic_quiet(void);

/** No handler of these runs once this returns. */
void board_traffic_stop(void);

/** Called by their handlers: once an interrupt, and once an expiry or byte. */
void board_traffic_interrupt(uint32_t source);
void board_traffic_event(uint32_t source, uint8_t byte);

/* ---- stacks, for a kernel whose tasks run on their callers' ------------------------------------------------------- */

#define BOARD_STACKS 32u
#define BOARD_STACK_BYTES 4096u /* enough for all that measures; any task's address of it is good for any type */

/** A free stack of BOARD_STACK_BYTES, not cleared; NULL: there is no free one. Tasks of any priority may call this at once. */
void *board_stack_take(void);

/** It is free again. Nobody may run on it any more. */
void board_stack_give(void *stack);

/* ---- what the kernel's port gives to the board ---------------------------------------------------------------- */

/** The last call of the measured interrupt's handler: asks for a switch when the expiry woke a task. */
void board_expiry_done(void);

/** Called by an unexpected exception, with up to three words that say where; prints them and ends. */
_Noreturn void board_fault(const char *what, uint64_t first, uint64_t second, uint64_t third);

#endif
