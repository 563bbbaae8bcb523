/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the FreeRTOS port share.
 */
#ifndef RTSTONE_FREERTOS_H
#define RTSTONE_FREERTOS_H

#include "rtstone/port.h"

/*
 * The engine's own task stands above the load and below all that is measured; the idle task, at 0, never halts. See
 * rts_port_priority_native.
 */
#define RTS_FREERTOS_PRIORITY_ENGINE 2u
#define RTS_FREERTOS_ENGINE_STACK_BYTES 16384u
#define RTS_FREERTOS_THREAD_STACK_BYTES 4096u

#endif
