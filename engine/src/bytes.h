/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The only functions that the engine takes from a C library. Bare boards have no string.h, so they are declared here; a port without
 * a library provides them.
 */
#ifndef RTS_BYTES_H
#define RTS_BYTES_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memset(void *to, int value, size_t count);
int memcmp(const void *a, const void *b, size_t count);
size_t strlen(const char *text);

#endif
