/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's functions by address, from /proc/kallsyms.
 */
#ifndef RTSTONE_LINUX_SYMBOLS_H
#define RTSTONE_LINUX_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Reads all names: some megabytes, some tens of milliseconds. False if the kernel hides its addresses. Not inside a window. */
bool rts_symbols_load(void);

/** The function that contains the address; NULL: there is none, or no names were read. */
const char *rts_symbols_at(uint64_t address);

/** Calls of one stack that are named, the innermost ones. */
enum { RTS_SYMBOLS_CALLS = 8, RTS_SYMBOLS_FRAMES = 32 };

/**
 * Names the calls of a stack of at most RTS_SYMBOLS_FRAMES frames, the innermost first, without the functions that end every wait. `entered`: only
 * those outside of an interrupt's entry. No call: it is user space. False if no names were read, or the stack is empty, or has no such entry.
 */
bool rts_symbols_calls(const uint64_t *frames, uint32_t depth, bool entered, const char *calls[RTS_SYMBOLS_CALLS],
                       size_t *count);

/** Frees the memory. */
void rts_symbols_free(void);

#endif
