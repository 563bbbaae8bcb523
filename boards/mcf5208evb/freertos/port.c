/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * FreeRTOS's layer for a ColdFire V2: critical sections, a task's first stack, the tick.
 */
#include "FreeRTOS.h"
#include "board.h"
#include "task.h"

/** Depth of critical sections of the running task; interrupt.S keeps it with each task's registers. */
volatile uint32_t port_critical_nesting;

void port_start_first_task(void);
void port_tick(void);

void vPortEnterCritical(void)
{
    portDISABLE_INTERRUPTS();
    port_critical_nesting = port_critical_nesting + 1u;
}

void vPortExitCritical(void)
{
    port_critical_nesting = port_critical_nesting - 1u;
    if (port_critical_nesting == 0) {
        portENABLE_INTERRUPTS();
    }
}

/** A stack as if the task had been interrupted at its first instruction: see interrupt.S. */
StackType_t *pxPortInitialiseStack(StackType_t *top, TaskFunction_t code, void *parameter)
{
    enum { REGISTERS = 15, FORMAT_AND_STATUS = 0x40002000 }; /* format 4: nothing was aligned; supervisor, level 0 */
    *top-- = (StackType_t)parameter;
    *top-- = 0; /* return address: a task never returns */
    *top-- = (StackType_t)code;
    *top-- = FORMAT_AND_STATUS;
    for (int i = 0; i < REGISTERS; i++) {
        *top-- = 0;
    }
    *top = 0; /* not in a critical section */
    return top;
}

BaseType_t xPortStartScheduler(void)
{
    port_critical_nesting = 0;
    port_start_first_task();
    return pdFALSE;
}

void vPortEndScheduler(void) {}

/** The clock's interrupt is the tick: PIT 1 runs from board_init on. */
void port_tick(void)
{
    board_clock_interrupt();
    const uint32_t before = portSET_INTERRUPT_MASK_FROM_ISR();
    if (xTaskIncrementTick() != pdFALSE) {
        vTaskSwitchContext();
    }
    portCLEAR_INTERRUPT_MASK_FROM_ISR(before);
}
