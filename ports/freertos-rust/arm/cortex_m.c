/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * FreeRTOS in Rust on Cortex-M: its tick, which the kernel starts itself.
 */
#include "../freertos_rust.h"

void rts_rust_prepare(void) {}

void rts_rust_started(void) {}

void rts_rust_ticks(bool on)
{
    enum { PROCESSOR_CLOCK = 4, INTERRUPT = 2, ENABLE = 1 };
    *(volatile uint32_t *)0xe000e010u = on ? PROCESSOR_CLOCK | INTERRUPT | ENABLE : PROCESSOR_CLOCK;
}
