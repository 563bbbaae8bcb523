/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads unsigned numbers from text, and accepts nothing else.
 */
#ifndef RTSTONE_LINUX_NUMBERS_H
#define RTSTONE_LINUX_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Reads one number in base 10 or 16, without sign, blanks or "0x" before it. Returns its end; NULL for no number, or one beyond 64 bits. */
const char *rts_linux_number(const char *text, int base, uint64_t *value);

/** `count` decimal numbers after a word, each after blanks ("done 1 2 3"). False unless the text begins with the word and all numbers are there. */
bool rts_linux_numbers(const char *text, const char *word, size_t count, uint64_t *value);

#endif
