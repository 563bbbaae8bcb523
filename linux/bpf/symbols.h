/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's functions by address, as /proc/kallsyms tells them.
 */
#ifndef RTSTONE_LINUX_SYMBOLS_H
#define RTSTONE_LINUX_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

/** Reads them all: some megabytes, some tens of milliseconds. False where the kernel hides its addresses. Not inside a window. */
bool rts_symbols_load(void);

/** The function that the address lies in; NULL: none, or none was read. */
const char *rts_symbols_at(uint64_t address);

/** Gives the memory back. */
void rts_symbols_free(void);

#endif
