/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What FreeRTOS on the zynq-a9 board adds to the common configuration.
 */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include "freertos_common_config.h"

#define configCPU_CLOCK_HZ 100000000
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configMINIMAL_STACK_SIZE 512 /* words of 4 bytes */
#define configTOTAL_HEAP_SIZE (512 * 1024)

#define configUSE_TASK_FPU_SUPPORT 2 /* the compiler may use VFP and NEON in any of them */
#define configINTERRUPT_CONTROLLER_BASE_ADDRESS 0xf8f01000u
#define configINTERRUPT_CONTROLLER_CPU_INTERFACE_OFFSET (-0xf00)
#define configUNIQUE_INTERRUPT_PRIORITIES 32
#define configMAX_API_CALL_INTERRUPT_PRIORITY 17 /* BOARD_TIMER_LEVEL: the measured interrupt calls the kernel */

void board_tick_setup(void);
void board_tick_clear(void);
#define configSETUP_TICK_INTERRUPT() board_tick_setup()
#define configCLEAR_TICK_INTERRUPT() board_tick_clear()

#endif
