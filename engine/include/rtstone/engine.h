/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The engine's entry: a port's start-up code calls rts_engine_run and ends with the code that it returns.
 */
#ifndef RTSTONE_ENGINE_H
#define RTSTONE_ENGINE_H

#include "rtstone/types.h"

#define RTS_ENGINE_VERSION "0.3.0"
#define RTS_STREAM_VERSION "1.2"
#define RTS_PLAN_VERSION "1.3"

/** Exit codes, as the host's (see DESIGN: exit codes). */
enum { RTS_EXIT_OK = 0, RTS_EXIT_USAGE = 2, RTS_EXIT_FAILED = 3, RTS_EXIT_INTERRUPTED = 130 };

/**
 * Reads the plan, measures, writes the record stream.
 * nonce: 16 hex digits and NUL for `hello`, or NULL to derive it from the plan's seed and repetition (virtual boards).
 * Returns an exit code. Call it once, from an ordinary thread of the lowest measured priority or below.
 */
int rts_engine_run(const char *nonce);

/** Size of the block that rts_engine_run asks rts_port_memory for. */
size_t rts_engine_memory_bytes(void);

#endif
