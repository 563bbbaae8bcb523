/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes the record stream.
 */
#include "record.h"

#include "bytes.h"
#include "crc32.h"
#include "escape.h"
#include "text.h"

/** Longest key with its value that is not a text: `,"` key `":"` value `"`. */
#define FIELD_BYTES (RTS_KEY_BYTES + RTS_NAME_BYTES + 6u)

_Static_assert(RTS_HEAD_BYTES + FIELD_BYTES + 10u + RTS_LAST_TAIL_BYTES <= RTS_LINE_BYTES,
               "a head and a key fit in a line");

void rts_writer_init(rts_writer *writer, rts_line_fn write, void *arg)
{
    memset(writer, 0, sizeof *writer);
    writer->write = write;
    writer->arg = arg;
}

/** What is left if more may have to be said. */
static size_t room(const rts_writer *writer)
{
    const size_t limit = RTS_LINE_BYTES - RTS_LINE_TAIL_BYTES;
    return writer->length < limit ? limit - writer->length : 0u;
}

static void put(rts_writer *writer, const char *bytes, size_t length)
{
    memcpy(writer->line + writer->length, bytes, length);
    writer->length += (uint32_t)length;
}

/** Writes `~seq `, the start of every line. */
static void open_line(rts_writer *writer)
{
    uint32_t digits = 1;
    while (digits < 8u && (writer->sequence >> (4u * digits)) != 0u) {
        digits++;
    }
    writer->line[0] = '~';
    writer->length = 1u + (uint32_t)rts_format_hex(writer->line + 1, writer->sequence, digits);
    writer->line[writer->length++] = ' ';
    writer->payload = writer->length;
    writer->sequence++;
    writer->records++;
}

/** Writes the CRC and sends the line; the payload is complete. */
static void close_line(rts_writer *writer)
{
    const uint32_t crc = rts_crc32(0, writer->line + 1, writer->length - 1u);
    writer->line[writer->length++] = ' ';
    writer->length += (uint32_t)rts_format_hex(writer->line + writer->length, crc, 8);
    writer->line[writer->length++] = '\n';
    if (!writer->failed && writer->write(writer->arg, writer->line, writer->length) != RTS_OK) {
        writer->failed = true;
    }
}

/**
 * Sends what there is as one part and begins the next with the same head. If the last key took the room for "more", it moves into
 * the next part.
 */
static void next_part(rts_writer *writer)
{
    char moved[FIELD_BYTES];
    size_t length = 0;
    if (writer->length > RTS_LINE_BYTES - RTS_LINE_TAIL_BYTES) {
        length = writer->length - writer->last;
        memcpy(moved, writer->line + writer->last, length);
        writer->length = writer->last;
    }
    put(writer, ",\"more\":1}", 10);
    close_line(writer);
    open_line(writer);
    put(writer, writer->head, writer->head_length);
    put(writer, moved, length);
}

void rts_record_begin(rts_writer *writer, const char *type)
{
    open_line(writer);
    writer->in_list = false;
    put(writer, "{\"t\":\"", 6);
    put(writer, type, strlen(type));
    put(writer, "\"", 1);
    rts_record_head(writer);
}

void rts_record_head(rts_writer *writer)
{
    const uint32_t length = writer->length - writer->payload;
    if (length <= RTS_HEAD_BYTES) {
        memcpy(writer->head, writer->line + writer->payload, length);
        writer->head_length = length;
    }
}

/** `,"key":` into a buffer; returns its length. */
static size_t format_key(char *out, const char *key)
{
    const size_t length = strlen(key);
    memcpy(out, ",\"", 2);
    memcpy(out + 2, key, length);
    memcpy(out + 2 + length, "\":", 2);
    return length + 4u;
}

static void field(rts_writer *writer, const char *bytes, size_t length)
{
    const size_t limit = RTS_LINE_BYTES - RTS_LAST_TAIL_BYTES;
    while (writer->length + length > limit) {
        next_part(writer); /* ends: a head and any one key fit in a line */
    }
    writer->last = writer->length;
    put(writer, bytes, length);
}

/** Other readers hold integers in doubles: a value beyond 2^53 - 1 is cut, and rts_recorder_sound reports that. */
static int64_t cut_signed(int64_t value)
{
    const int64_t limit = ((int64_t)1 << 53) - 1;
    return value > limit ? limit : value < -limit ? -limit : value;
}

void rts_record_signed(rts_writer *writer, const char *key, int64_t value)
{
    char bytes[FIELD_BYTES];
    size_t length = format_key(bytes, key);
    length += rts_format_signed(bytes + length, cut_signed(value));
    field(writer, bytes, length);
}

void rts_record_unsigned(rts_writer *writer, const char *key, uint64_t value)
{
    rts_record_signed(writer, key, value > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)value);
}

void rts_record_big_wide(rts_writer *writer, const char *key, rts_wide value)
{
    char bytes[FIELD_BYTES];
    size_t length = format_key(bytes, key);
    bytes[length++] = '"';
    length += rts_format_wide(bytes + length, value);
    bytes[length++] = '"';
    field(writer, bytes, length);
}

void rts_record_big(rts_writer *writer, const char *key, uint64_t value)
{
    const rts_wide wide = {0u, value};
    rts_record_big_wide(writer, key, wide);
}

void rts_record_big_signed(rts_writer *writer, const char *key, rts_wide value)
{
    char bytes[FIELD_BYTES];
    size_t length = format_key(bytes, key);
    bytes[length++] = '"';
    length += rts_format_wide_signed(bytes + length, value);
    bytes[length++] = '"';
    field(writer, bytes, length);
}

void rts_record_name(rts_writer *writer, const char *key, const char *value)
{
    char bytes[FIELD_BYTES];
    char character[RTS_ESCAPE_BYTES];
    size_t length = format_key(bytes, key);
    const size_t end = length + 1u + RTS_NAME_BYTES;
    bytes[length++] = '"';
    for (size_t count = rts_escape_next(character, &value); count != 0u && length + count <= end;
         count = rts_escape_next(character, &value)) {
        memcpy(bytes + length, character, count);
        length += count;
    }
    bytes[length++] = '"';
    field(writer, bytes, length);
}

void rts_record_text(rts_writer *writer, const char *key, const char *value)
{
    char name[FIELD_BYTES];
    char character[RTS_ESCAPE_BYTES];
    size_t length = format_key(name, key);
    name[length++] = '"';
    /* Room for the first character and the closing quote, so that a part that carries the key carries some of the text. */
    if (length + RTS_ESCAPE_BYTES + 1u > room(writer)) {
        next_part(writer);
    }
    put(writer, name, length);
    for (size_t count = rts_escape_next(character, &value); count != 0u; count = rts_escape_next(character, &value)) {
        if (count + 1u > room(writer)) {
            put(writer, "\"", 1);
            next_part(writer);
            put(writer, name, length);
        }
        put(writer, character, count);
    }
    put(writer, "\"", 1);
}

void rts_record_end(rts_writer *writer)
{
    if (writer->in_list) {
        put(writer, "]", 1);
    }
    put(writer, "}", 1);
    close_line(writer);
}

void rts_record_list(rts_writer *writer, const char *key)
{
    char bytes[FIELD_BYTES];
    size_t length = format_key(bytes, key);
    bytes[length++] = '[';
    put(writer, bytes, length);
    writer->in_list = true;
}

bool rts_record_list_room(const rts_writer *writer, uint32_t count)
{
    /* Each number may take a sign, 19 digits and a comma. */
    return room(writer) >= (size_t)21u * count;
}

static void list_comma(rts_writer *writer)
{
    if (writer->line[writer->length - 1u] != '[') {
        writer->line[writer->length++] = ',';
    }
}

void rts_record_list_signed(rts_writer *writer, int64_t value)
{
    list_comma(writer);
    writer->length += (uint32_t)rts_format_signed(writer->line + writer->length, cut_signed(value));
}

void rts_record_list_null(rts_writer *writer)
{
    list_comma(writer);
    put(writer, "null", 4);
}

bool rts_writer_payload(rts_writer *writer, const char *payload, size_t length)
{
    const rts_writer before = *writer;
    open_line(writer);
    if (writer->length + length + 10u > RTS_LINE_BYTES) {
        *writer = before;
        return false;
    }
    put(writer, payload, length);
    close_line(writer);
    return true;
}
