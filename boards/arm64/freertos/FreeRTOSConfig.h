/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What FreeRTOS on the arm64 board adds to the common configuration.
 */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include "freertos_common_config.h"

#define configCPU_CLOCK_HZ 62500000
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_64_BITS
#define configMINIMAL_STACK_SIZE 512 /* words of 8 bytes */
#define configTOTAL_HEAP_SIZE (1024 * 1024)

#define configUSE_TASK_FPU_SUPPORT 1
#define configINTERRUPT_CONTROLLER_BASE_ADDRESS 0x08000000ull
#define configINTERRUPT_CONTROLLER_CPU_INTERFACE_OFFSET 0x10000ull
#define configUNIQUE_INTERRUPT_PRIORITIES 32
#define configMAX_API_CALL_INTERRUPT_PRIORITY 17 /* BOARD_TIMER_LEVEL: the measured interrupt calls the kernel */

void board_tick_setup(void);
void board_tick_clear(void);
#define configSETUP_TICK_INTERRUPT() board_tick_setup()
#define configCLEAR_TICK_INTERRUPT() board_tick_clear()

#endif
