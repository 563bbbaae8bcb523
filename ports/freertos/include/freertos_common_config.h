/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * FreeRTOS as every board configures it; a board's FreeRTOSConfig.h includes this and adds what is its own.
 */
#ifndef RTSTONE_FREERTOS_COMMON_CONFIG_H
#define RTSTONE_FREERTOS_COMMON_CONFIG_H

/* Fixed priorities, first in first out within one: the same as the real-time class on every measured kernel. */
#define configUSE_PREEMPTION 1
#define configUSE_TIME_SLICING 0
#define configMAX_PRIORITIES 8
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1
#define configIDLE_SHOULD_YIELD 1
#define configTICK_RATE_HZ 1000
#define configMAX_TASK_NAME_LEN 16

#define configUSE_MUTEXES 1
#define configUSE_COUNTING_SEMAPHORES 1
#define configUSE_TASK_NOTIFICATIONS 1
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#define configSUPPORT_STATIC_ALLOCATION 1
#define configKERNEL_PROVIDED_STATIC_MEMORY 1

/* The idle task never halts the CPU: under instruction counting a halt makes runs differ when the host is busy. */
#define configUSE_IDLE_HOOK 1
#define configUSE_TICK_HOOK 0
#define configCHECK_FOR_STACK_OVERFLOW 0 /* would be paid at every switch */

#define INCLUDE_vTaskDelay 1
#define INCLUDE_vTaskDelete 1
#define INCLUDE_vTaskSuspend 1
#define INCLUDE_vTaskPrioritySet 1
#define INCLUDE_eTaskGetState 1
#define INCLUDE_xTaskGetIdleTaskHandle 1
#define INCLUDE_xTaskGetCurrentTaskHandle 1

/* Called by the idle task when it has freed a task that deleted itself. */
void rts_freertos_reclaimed(void);
#define portCLEAN_UP_TCB(tcb) rts_freertos_reclaimed()

#if RTSTONE_KERNEL_ASSERTS
void rts_freertos_assert_failed(const char *what);
#define configASSERT(condition) ((condition) ? (void)0 : rts_freertos_assert_failed(#condition))
#endif

#endif
