/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Takes a framed line apart and checks its CRC.
 */
#ifndef RTS_FRAME_H
#define RTS_FRAME_H

#include <stddef.h>
#include <stdint.h>

/** A line whose CRC is correct. */
typedef struct rts_frame {
    uint32_t sequence;
    const char *payload; /**< inside the line, without a NUL at its end */
    size_t length;
} rts_frame;

/** Checks a line without its LF and CR. Returns NULL if it is correct, else the error in a few words. */
const char *rts_frame_read(const char *line, size_t length, rts_frame *frame);

#endif
