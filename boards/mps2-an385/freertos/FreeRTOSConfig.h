/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What FreeRTOS on the mps2-an385 board adds to the common configuration.
 */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include "freertos_common_config.h"

#define configCPU_CLOCK_HZ 25000000
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configMINIMAL_STACK_SIZE 256 /* words of 4 bytes */
#define configTOTAL_HEAP_SIZE (256 * 1024)

#define configPRIO_BITS 8
#define configKERNEL_INTERRUPT_PRIORITY 0xff
#define configMAX_SYSCALL_INTERRUPT_PRIORITY 0x20 /* BOARD_TIMER_LEVEL: the measured interrupt calls the kernel */

#define vPortSVCHandler SVC_Handler
#define xPortPendSVHandler PendSV_Handler
#define xPortSysTickHandler SysTick_Handler

#endif
