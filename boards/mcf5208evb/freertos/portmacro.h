/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * FreeRTOS's view of a ColdFire V2: types, masking by interrupt level, switch by trap 0.
 */
#ifndef PORTMACRO_H
#define PORTMACRO_H

#include <stdint.h>

typedef uint32_t StackType_t;
typedef long BaseType_t;
typedef unsigned long UBaseType_t;
typedef uint32_t TickType_t;

#define portMAX_DELAY ((TickType_t)0xffffffffu)
#define portTICK_TYPE_IS_ATOMIC 1
#define portBYTE_ALIGNMENT 4
#define portSTACK_GROWTH (-1)
#define portTICK_PERIOD_MS ((TickType_t)1000 / configTICK_RATE_HZ)
#define portPOINTER_SIZE_TYPE uint32_t

/* Level 6 masks all that may call the kernel: the measured interrupt and the tick. */
#define portDISABLE_INTERRUPTS() __asm__ volatile("move.w #0x2600, %%sr" : : : "memory")
#define portENABLE_INTERRUPTS() __asm__ volatile("move.w #0x2000, %%sr" : : : "memory")

static inline uint32_t port_mask(void)
{
    uint32_t before = 0;
    __asm__ volatile("move.w %%sr, %0\n\tmove.w #0x2600, %%sr" : "=d"(before) : : "memory");
    return before;
}

static inline void port_unmask(uint32_t before)
{
    __asm__ volatile("move.w %0, %%sr" : : "d"(before) : "memory");
}

#define portSET_INTERRUPT_MASK_FROM_ISR() port_mask()
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(before) port_unmask(before)

void vPortEnterCritical(void);
void vPortExitCritical(void);
#define portENTER_CRITICAL() vPortEnterCritical()
#define portEXIT_CRITICAL() vPortExitCritical()

#define portYIELD() __asm__ volatile("trap #0" : : : "memory")
/* An interrupt's entry saves the whole context of the task, so another may be chosen within it. */
#define portYIELD_FROM_ISR(wanted)                                                                                     \
    do {                                                                                                               \
        if ((wanted) != 0) {                                                                                           \
            vTaskSwitchContext();                                                                                      \
        }                                                                                                              \
    } while (0)

#define portNOP() __asm__ volatile("nop")
#define portMEMORY_BARRIER() __asm__ volatile("" : : : "memory")
#define portTASK_FUNCTION_PROTO(function, parameter) void function(void *parameter)
#define portTASK_FUNCTION(function, parameter) void function(void *parameter)

#endif
