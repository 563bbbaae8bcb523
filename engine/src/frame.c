/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Takes a framed line apart and checks its CRC.
 */
#include "frame.h"

#include <stdbool.h>

#include "bytes.h"
#include "crc32.h"
#include "record.h"
#include "text.h"

/** What stands after the payload: a space and eight digits. */
#define TAIL_BYTES 9u
/** `~`, a digit, a space, `{}` and the tail: nothing shorter can be a record. */
#define LEAST_BYTES (5u + TAIL_BYTES)

static bool crc_is_right(const char *line, size_t length)
{
    char digits[8];
    rts_format_hex(digits, rts_crc32(0, line + 1, length - TAIL_BYTES - 1u), 8);
    return memcmp(digits, line + length - 8u, 8) == 0;
}

/** Reads the sequence number and returns where the payload begins, 0 when it is not written as it must be. */
static size_t read_sequence(const char *line, size_t length, uint32_t *sequence)
{
    size_t at = 1;
    *sequence = 0;
    for (; at < length && at <= 8u && rts_hex_digit(line[at]) >= 0; at++) {
        *sequence = (*sequence << 4) | (uint32_t)rts_hex_digit(line[at]);
    }
    const bool padded = line[1] == '0' && at > 2u;
    return at == 1u || at == length || line[at] != ' ' || padded ? 0u : at + 1u;
}

const char *rts_frame_read(const char *line, size_t length, rts_frame *frame)
{
    if (length == 0u || line[0] != '~') {
        return "not a record";
    }
    if (length + 1u > RTS_LINE_BYTES) {
        return "line too long";
    }
    if (length < LEAST_BYTES || line[length - TAIL_BYTES] != ' ') {
        return "line cut short";
    }
    if (!crc_is_right(line, length)) {
        return "wrong CRC";
    }
    const size_t end = length - TAIL_BYTES;
    const size_t start = read_sequence(line, end, &frame->sequence);
    if (start == 0u) {
        return "bad sequence number";
    }
    for (size_t i = start; i < end; i++) {
        if (line[i] < 0x20 || line[i] > 0x7e) {
            return "bad byte in payload";
        }
    }
    if (end < start + 2u || line[start] != '{' || line[end - 1u] != '}') {
        return "payload is not an object";
    }
    frame->payload = line + start;
    frame->length = end - start;
    return NULL;
}
