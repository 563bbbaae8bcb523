/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * rt on Cortex-M: SVCall and PendSV at the lowest priority, as rt demands; its tick one step above.
 */
#include "../rt_port.h"

#define SHPR2 0xe000ed1cu /* SVCall in the highest byte */
#define SHPR3 0xe000ed20u /* SysTick in the highest, PendSV below it */
#define SYSTICK_CTRL 0xe000e010u
#define SYSTICK_LOAD 0xe000e014u
#define SYSTICK_VALUE 0xe000e018u

void rts_rt_start_ticks(void)
{
    *board_register32(SHPR2) = 0xff000000u;
    *board_register32(SHPR3) = 0xe0ff0000u;
    *board_register32(SYSTICK_LOAD) = (uint32_t)(board_clock_hz() / RTS_RT_TICK_HZ) - 1u;
    *board_register32(SYSTICK_VALUE) = 0;
    rts_rt_ticks(true);
}

void rts_rt_ticks(bool on)
{
    enum { PROCESSOR_CLOCK = 4, INTERRUPT = 2, ENABLE = 1 };
    *board_register32(SYSTICK_CTRL) = on ? PROCESSOR_CLOCK | INTERRUPT | ENABLE : PROCESSOR_CLOCK;
}

void rts_rt_pending_done(void)
{
    __asm__ volatile("dsb\n\tisb" : : : "memory");
}
