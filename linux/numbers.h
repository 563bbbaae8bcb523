/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reading unsigned numbers out of text, with nothing that passes for one.
 */
#ifndef RTSTONE_LINUX_NUMBERS_H
#define RTSTONE_LINUX_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One number in base 10 or 16, without sign, blanks or "0x" before it. Where it ends; NULL where there is none, or one beyond 64 bits. */
const char *rts_linux_number(const char *text, int base, uint64_t *value);

/** `count` decimal numbers after a word, each behind blanks ("done 1 2 3"). False unless the text begins with the word and all of them are there. */
bool rts_linux_numbers(const char *text, const char *word, size_t count, uint64_t *value);

#endif
