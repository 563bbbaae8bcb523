/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What FreeRTOS on the mcf5208evb board adds to the common configuration.
 */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include "freertos_common_config.h"

#define configCPU_CLOCK_HZ 83333333
#undef configTICK_RATE_HZ
#define configTICK_RATE_HZ 1272 /* PIT 1 wraps every 65535 ticks of 83.3 MHz */
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configMINIMAL_STACK_SIZE 512 /* words of 4 bytes */
#define configTOTAL_HEAP_SIZE (256 * 1024)

/* This CPU has no instruction that finds the first bit. */
#undef configUSE_PORT_OPTIMISED_TASK_SELECTION
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 0

#endif
