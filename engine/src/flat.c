/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads one flat JSON object, key by key.
 */
#include "flat.h"

#include "bytes.h"
#include "text.h"

void rts_flat_begin(rts_flat *flat, const char *text, size_t length)
{
    flat->text = text;
    flat->length = length;
    flat->at = 0;
    flat->begun = false;
}

static void skip_spaces(rts_flat *flat)
{
    while (flat->at < flat->length && flat->text[flat->at] == ' ') {
        flat->at++;
    }
}

/** Passes a character, with spaces before and after it. False when another one is there. */
static bool take(rts_flat *flat, char character)
{
    skip_spaces(flat);
    if (flat->at >= flat->length || flat->text[flat->at] != character) {
        return false;
    }
    flat->at++;
    skip_spaces(flat);
    return true;
}

static bool take_string(rts_flat *flat, const char **start, size_t *length)
{
    if (flat->at >= flat->length || flat->text[flat->at] != '"') {
        return false;
    }
    const size_t first = ++flat->at;
    for (; flat->at < flat->length; flat->at++) {
        const char character = flat->text[flat->at];
        if (character == '\\' || character < 0x20 || character > 0x7e) {
            return false;
        }
        if (character == '"') {
            *start = flat->text + first;
            *length = flat->at - first;
            flat->at++;
            return true;
        }
    }
    return false;
}

static bool take_number(rts_flat *flat, const char **start, size_t *length)
{
    const size_t first = flat->at;
    if (flat->at < flat->length && flat->text[flat->at] == '-') {
        flat->at++;
    }
    const size_t digits = flat->at;
    while (flat->at < flat->length && flat->text[flat->at] >= '0' && flat->text[flat->at] <= '9') {
        flat->at++;
    }
    *start = flat->text + first;
    *length = flat->at - first;
    return flat->at > digits && (flat->at == digits + 1u || flat->text[digits] != '0');
}

rts_flat_result rts_flat_next(rts_flat *flat, rts_flat_pair *pair)
{
    if (!flat->begun) {
        if (!take(flat, '{')) {
            return RTS_FLAT_MALFORMED;
        }
        flat->begun = true;
    } else if (take(flat, '}')) {
        return flat->at == flat->length ? RTS_FLAT_END : RTS_FLAT_MALFORMED;
    } else if (!take(flat, ',')) {
        return RTS_FLAT_MALFORMED;
    }
    if (!take_string(flat, &pair->key, &pair->key_length) || !take(flat, ':')) {
        return RTS_FLAT_MALFORMED;
    }
    pair->is_string = flat->at < flat->length && flat->text[flat->at] == '"';
    const bool taken = pair->is_string ? take_string(flat, &pair->text, &pair->text_length)
                                       : take_number(flat, &pair->text, &pair->text_length);
    skip_spaces(flat);
    return taken ? RTS_FLAT_PAIR : RTS_FLAT_MALFORMED;
}

bool rts_flat_is(const rts_flat_pair *pair, const char *key)
{
    return strlen(key) == pair->key_length && memcmp(pair->key, key, pair->key_length) == 0;
}

bool rts_flat_says(const rts_flat_pair *pair, const char *value)
{
    return pair->is_string && strlen(value) == pair->text_length && memcmp(pair->text, value, pair->text_length) == 0;
}

bool rts_flat_integer(const rts_flat_pair *pair, int64_t *value)
{
    const bool negative = !pair->is_string && pair->text[0] == '-';
    const size_t sign = negative ? 1u : 0u;
    uint64_t magnitude = 0;
    if (pair->is_string || !rts_parse_unsigned(pair->text + sign, pair->text_length - sign, &magnitude) ||
        magnitude > (uint64_t)INT64_MAX) {
        return false;
    }
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

bool rts_flat_string(const rts_flat_pair *pair, char *out, size_t room)
{
    if (!pair->is_string || pair->text_length == 0u || pair->text_length >= room) {
        return false;
    }
    memcpy(out, pair->text, pair->text_length);
    out[pair->text_length] = '\0';
    return true;
}
