/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as the inside of a JSON string of printable ASCII.
 */
#ifndef RTS_ESCAPE_H
#define RTS_ESCAPE_H

#include <stddef.h>

/** Longest escape of one character: a pair of surrogates. */
#define RTS_ESCAPE_BYTES 12u

/**
 * Writes the next character of a NUL-terminated UTF-8 text, escaped where it must be, and moves `*text` past it. Returns the number
 * of bytes written, 0 at the end. A byte that is not UTF-8 becomes U+FFFD by itself.
 */
size_t rts_escape_next(char out[RTS_ESCAPE_BYTES], const char **text);

#endif
