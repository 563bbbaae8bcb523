/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What FreeRTOS on the riscv32 board adds to the common configuration.
 */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include "freertos_common_config.h"

#define configCPU_CLOCK_HZ 10000000 /* of mtime, which the tick is made of */
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configMINIMAL_STACK_SIZE 512 /* words of 4 bytes */
#define configTOTAL_HEAP_SIZE (512 * 1024)

#define configMTIME_BASE_ADDRESS 0x0200bff8
#define configMTIMECMP_BASE_ADDRESS 0x02004000
#define configISR_STACK_SIZE_WORDS 1024

#endif
