/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * ThreadX on Cortex-M: the functions that its start requires from the application, and its tick. PendSV has the lowest priority, as ThreadX demands.
 * The tick is one step above, and below all other interrupts, as on every kernel.
 */
#include "../threadx.h"

#if defined(TX_ENABLE_WFI) || defined(TX_LOW_POWER)
#error                                                                                                                 \
    "this ThreadX halts when it is idle: runs would not be the same to the byte; build it without TX_ENABLE_WFI and TX_LOW_POWER"
#endif
#if defined(TX_PORT_USE_BASEPRI)
_Static_assert(TX_PORT_BASEPRI <= BOARD_TIMER_LEVEL,
               "the measured interrupt calls the kernel, which must be able to mask it");
#endif

#define SHPR2 0xe000ed1cu /* SVCall in the highest byte */
#define SHPR3 0xe000ed20u /* SysTick in the highest, PendSV below it */
#define SYSTICK_CTRL 0xe000e010u
#define SYSTICK_LOAD 0xe000e014u
#define SYSTICK_VALUE 0xe000e018u

void _tx_initialize_low_level(void);
void _tx_timer_interrupt(void);
void SysTick_Handler(void);

/** Called by tx_kernel_enter first of all; the scheduler lets interrupts in. */
void _tx_initialize_low_level(void)
{
    enum { PROCESSOR_CLOCK = 4, INTERRUPT = 2, ENABLE = 1 };
    __asm__ volatile("cpsid i" : : : "memory");
    *board_register32(SHPR2) = 0xff000000u;
    *board_register32(SHPR3) = 0xe0ff0000u;
    *board_register32(SYSTICK_LOAD) = (uint32_t)(board_clock_hz() / RTS_THREADX_TICK_HZ) - 1u;
    *board_register32(SYSTICK_VALUE) = 0;
    *board_register32(SYSTICK_CTRL) = PROCESSOR_CLOCK | INTERRUPT | ENABLE;
}

void SysTick_Handler(void)
{
    _tx_timer_interrupt();
}
