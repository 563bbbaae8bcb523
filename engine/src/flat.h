/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads one flat JSON object, key by key: integers and short strings without escapes, nothing else.
 */
#ifndef RTS_FLAT_H
#define RTS_FLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One key and its value, inside the text that is read. */
typedef struct rts_flat_pair {
    const char *key;
    size_t key_length;
    const char *text; /**< a string's inside, or a number's characters */
    size_t text_length;
    bool is_string;
} rts_flat_pair;

/** The position of reading. */
typedef struct rts_flat {
    const char *text;
    size_t length;
    size_t at;
    bool begun;
} rts_flat;

typedef enum rts_flat_result { RTS_FLAT_PAIR, RTS_FLAT_END, RTS_FLAT_MALFORMED } rts_flat_result;

void rts_flat_begin(rts_flat *flat, const char *text, size_t length);
rts_flat_result rts_flat_next(rts_flat *flat, rts_flat_pair *pair);

/** True if the pair has this key. */
bool rts_flat_is(const rts_flat_pair *pair, const char *key);
/** True if the pair is a string equal to `value`. */
bool rts_flat_says(const rts_flat_pair *pair, const char *value);
/** The pair's integer. False when it is a string or beyond 64 bits. */
bool rts_flat_integer(const rts_flat_pair *pair, int64_t *value);
/** Copies the pair's string with a NUL. False when it is a number, empty or longer than room - 1. */
bool rts_flat_string(const rts_flat_pair *pair, char *out, size_t room);

#endif
