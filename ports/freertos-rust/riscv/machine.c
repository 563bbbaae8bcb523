/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * FreeRTOS in Rust on RISC-V in machine mode: external interrupts, the stack of interrupts, vectors, and the tick.
 */
#include "../freertos_rust.h"

extern uintptr_t xISRStackTop; /* the kernel's: it goes there in each trap */
extern char board_stack_top[];
extern char board_vectors[];

void rts_rust_external(BaseType_t (*handler)(UBaseType_t cause));
void vPortSetupTimerInterrupt(void);
void board_rust_external(void);

static BaseType_t external(UBaseType_t cause)
{
    (void)cause;
    board_rust_external();
    return pdFALSE; /* the code that made a switch necessary has requested it */
}

void rts_rust_prepare(void)
{
    rts_rust_external(external);
}

void rts_rust_started(void)
{
    /* The kernel has set aside 1 KiB. Where main was, nobody is any more. */
    xISRStackTop = (uintptr_t)board_stack_top;
    /* The kernel has replaced the vectors by its own entry. Restore them: they read the counter and then jump to that entry. */
    __asm__ volatile("csrw mtvec, %0" : : "r"((uintptr_t)board_vectors | 1u) : "memory");
}

void rts_rust_ticks(bool on)
{
    const uint32_t tick = 1u << BOARD_CAUSE_TICK;
    if (!on) {
        __asm__ volatile("csrc mie, %0" : : "r"(tick) : "memory");
        return;
    }
    vPortSetupTimerInterrupt(); /* the next one in a whole tick from now: those that were held are not made up */
    __asm__ volatile("csrs mie, %0" : : "r"(tick) : "memory");
}
