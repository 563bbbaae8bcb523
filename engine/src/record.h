/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes the record stream: one framed JSON object a line, split where a line is full (spec/record-stream.md).
 *
 * A record is begun, given its keys, and ended. Keys that come before rts_record_head are repeated in every part should the record
 * need more than one line; the parts but the last carry "more":1.
 */
#ifndef RTS_RECORD_H
#define RTS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rtstone/types.h"
#include "wide.h"

/** Longest line, `~` and LF included. */
#define RTS_LINE_BYTES 256u
/** Room that the end of a line needs: ,"more":1} a space, the CRC, LF. */
#define RTS_LINE_TAIL_BYTES 20u
/** Room that the end of a last line needs: } a space, the CRC, LF. */
#define RTS_LAST_TAIL_BYTES 11u
/** Longest part of a record that is repeated; keys beyond it are written once. */
#define RTS_HEAD_BYTES 116u
/** Longest key. */
#define RTS_KEY_BYTES 16u
/** Longest string that is not split, as it travels: a name, or a sentence escaped. */
#define RTS_NAME_BYTES 96u

/** Takes one finished line. */
typedef rts_status (*rts_line_fn)(void *arg, const char *line, size_t length);

/** Where records go, and the one being written. */
typedef struct rts_writer {
    rts_line_fn write;
    void *arg;
    uint64_t records; /**< lines begun so far, parts included */
    uint32_t sequence;
    bool failed; /**< there is no reader any more: all further output is ignored */
    bool in_list;
    uint32_t head_length;
    uint32_t length;
    uint32_t last;    /**< where in `line` the last key begins */
    uint32_t payload; /**< where in `line` the payload begins */
    char head[RTS_HEAD_BYTES];
    char line[RTS_LINE_BYTES];
} rts_writer;

void rts_writer_init(rts_writer *writer, rts_line_fn write, void *arg);

/** Begins a record of this type. */
void rts_record_begin(rts_writer *writer, const char *type);
/** Ends the head: the keys so far are repeated in every part. */
void rts_record_head(rts_writer *writer);
void rts_record_signed(rts_writer *writer, const char *key, int64_t value);
void rts_record_unsigned(rts_writer *writer, const char *key, uint64_t value);
/** The keys that always travel as decimal strings. */
void rts_record_big(rts_writer *writer, const char *key, uint64_t value);
void rts_record_big_wide(rts_writer *writer, const char *key, rts_wide value);
void rts_record_big_signed(rts_writer *writer, const char *key, rts_wide value);
/** A name: not split; cut at RTS_NAME_BYTES. */
void rts_record_name(rts_writer *writer, const char *key, const char *value);
/** A text of any length, split over as many parts as it needs. Bytes that are not UTF-8 become U+FFFD. */
void rts_record_text(rts_writer *writer, const char *key, const char *value);
void rts_record_end(rts_writer *writer);

/** A list is the last key of a record. The rest of it goes into further records of the same type, which the caller begins. */
void rts_record_list(rts_writer *writer, const char *key);
/** True if `count` more numbers fit. */
bool rts_record_list_room(const rts_writer *writer, uint32_t count);
void rts_record_list_signed(rts_writer *writer, int64_t value);
void rts_record_list_null(rts_writer *writer);

/** One line from a finished payload, for the tests of the framing. False when it does not fit: nothing is written then. */
bool rts_writer_payload(rts_writer *writer, const char *payload, size_t length);

#endif
