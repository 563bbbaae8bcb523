/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the port to FreeRTOS in Rust share.
 */
#ifndef RTSTONE_FREERTOS_RUST_H
#define RTSTONE_FREERTOS_RUST_H

#include "rtstone/port.h"

/* The kernel has five priorities, 0 to 4: the load shares the idle task's, the engine that of RTS_PRIORITY_LOW. */
#define RTS_RUST_PRIORITY_ENGINE 1u
#define RTS_RUST_ENGINE_STACK_BYTES 16384u
#define RTS_RUST_THREAD_STACK_BYTES 4096u

/* Each architecture's: arm/, aarch64/ … */

/** What the kernel needs before its first task is made, but its heap. */
void rts_rust_prepare(void);

/** The first act of the first task. */
void rts_rust_started(void);

/** Holds the kernel's tick or lets it go on. */
void rts_rust_ticks(bool on);

#endif
