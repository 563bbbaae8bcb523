/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The C library's header of this name, as far as a kernel image needs it.
 */
#ifndef RTSTONE_LIBC_STRING_H
#define RTSTONE_LIBC_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *at, int value, size_t count);
int memcmp(const void *a, const void *b, size_t count);
size_t strlen(const char *text);

#endif
