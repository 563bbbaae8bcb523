/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Takes a framed line apart and checks its CRC.
 */
#include "frame.h"

#include "crc32.h"
#include "record.h"
#include "text.h"

/** What stands after the payload: a space and eight digits. */
#define TAIL_BYTES 9u

const char *rts_frame_read(const char *line, size_t length, rts_frame *frame)
{
    if (length == 0u || line[0] != '~') {
        return "not a record";
    }
    if (length + 1u > RTS_LINE_BYTES) {
        return "line too long";
    }
    size_t at = 1;
    uint32_t sequence = 0;
    while (at < length && at <= 8u && rts_hex_digit(line[at]) >= 0) {
        sequence = (sequence << 4) | (uint32_t)rts_hex_digit(line[at]);
        at++;
    }
    if (at == 1u || at >= length || line[at] != ' ' || (line[1] == '0' && at > 2u)) {
        return "bad sequence number";
    }
    at++;
    if (length < at + 2u + TAIL_BYTES || line[length - TAIL_BYTES] != ' ') {
        return "cut short";
    }
    uint32_t crc = 0;
    for (size_t i = length - TAIL_BYTES + 1u; i < length; i++) {
        const int digit = rts_hex_digit(line[i]);
        if (digit < 0) {
            return "bad CRC field";
        }
        crc = (crc << 4) | (uint32_t)digit;
    }
    if (crc != rts_crc32(0, line + 1, length - TAIL_BYTES - 1u)) {
        return "wrong CRC";
    }
    for (size_t i = at; i < length - TAIL_BYTES; i++) {
        if (line[i] < 0x20 || line[i] > 0x7e) {
            return "bad byte in payload";
        }
    }
    if (line[at] != '{' || line[length - TAIL_BYTES - 1u] != '}') {
        return "payload is not an object";
    }
    frame->sequence = sequence;
    frame->payload = line + at;
    frame->length = length - TAIL_BYTES - at;
    return NULL;
}
