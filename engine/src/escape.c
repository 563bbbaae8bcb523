/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as the inside of a JSON string of printable ASCII.
 */
#include "escape.h"

#include <stdint.h>

#include "text.h"

/** Reads one code point and says how many bytes it took; a wrong byte is U+FFFD and takes one. */
static uint32_t decode_utf8(const unsigned char *bytes, size_t *taken)
{
    static const uint32_t lowest[5] = {0u, 0u, 0x80u, 0x800u, 0x10000u};
    const uint32_t first = bytes[0];
    size_t length = 1;
    uint32_t point;
    *taken = 1;
    if (first < 0x80u) {
        return first;
    }
    if ((first & 0xe0u) == 0xc0u) {
        length = 2;
        point = first & 0x1fu;
    } else if ((first & 0xf0u) == 0xe0u) {
        length = 3;
        point = first & 0x0fu;
    } else if ((first & 0xf8u) == 0xf0u) {
        length = 4;
        point = first & 0x07u;
    } else {
        return 0xfffdu;
    }
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0u) != 0x80u) { /* NUL ends here too */
            return 0xfffdu;
        }
        point = (point << 6) | (bytes[i] & 0x3fu);
    }
    if (point < lowest[length] || point > 0x10ffffu || (point >= 0xd800u && point <= 0xdfffu)) {
        return 0xfffdu;
    }
    *taken = length;
    return point;
}

static size_t escape_unit(char *out, uint32_t unit)
{
    out[0] = '\\';
    out[1] = 'u';
    return 2u + rts_format_hex(out + 2, unit, 4);
}

size_t rts_escape_next(char out[RTS_ESCAPE_BYTES], const char **text)
{
    if (**text == '\0') {
        return 0;
    }
    size_t taken = 0;
    const uint32_t point = decode_utf8((const unsigned char *)*text, &taken);
    *text += taken;
    if (point == '"' || point == '\\') {
        out[0] = '\\';
        out[1] = (char)point;
        return 2;
    }
    if (point >= 0x20u && point <= 0x7eu) {
        out[0] = (char)point;
        return 1;
    }
    if (point > 0xffffu) {
        const uint32_t offset = point - 0x10000u;
        const size_t length = escape_unit(out, 0xd800u + (offset >> 10));
        return length + escape_unit(out + length, 0xdc00u + (offset & 0x3ffu));
    }
    return escape_unit(out, point);
}
