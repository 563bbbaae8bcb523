/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers to characters and back, without a C library.
 */
#ifndef RTS_TEXT_H
#define RTS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wide.h"

/** Room that any of the rts_format_* functions needs: 39 digits and a sign. */
#define RTS_NUMBER_BYTES 40u

/** Each writes a number without a closing NUL and returns how many characters it took. */
size_t rts_format_unsigned(char *out, uint64_t value);
size_t rts_format_signed(char *out, int64_t value);
size_t rts_format_wide(char *out, rts_wide value);                 /**< unsigned */
size_t rts_format_wide_signed(char *out, rts_wide value);          /**< two's complement */
size_t rts_format_hex(char *out, uint64_t value, uint32_t digits); /**< lower case, exactly `digits` (1 to 16) */

/** Value of a lower-case hexadecimal digit, or -1. */
int rts_hex_digit(char character);

/** Reads `length` decimal digits (no sign, no leading zero but "0" itself). False for no digits, other characters, or a number above 64 bits. */
bool rts_parse_unsigned(const char *digits, size_t length, uint64_t *value);

#endif
