/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A TCP stream of characters from the far end of the cable, which a program copies to a serial line.
 */
#ifndef RTSTONE_CHARACTERS_H
#define RTSTONE_CHARACTERS_H

#include "cable.h"

#define RTS_CHARACTERS_LINE 74u

/** A line of the character generator (RFC 864), which begins with the character of that number, 0 to 94. */
void rts_characters_line(char line[RTS_CHARACTERS_LINE], unsigned first);

/** The stream's two ends. */
typedef struct rts_characters {
    rts_cable *cable;
    int line;
    rts_cable_program generator; /**< at the far end, which it makes */
    rts_cable_program copier;
    _Atomic uint64_t copied; /**< bytes written to the line; after the end without those that it had not sent */
    uint64_t copied_before;  /**< while it was set up */
} rts_characters;

/** Joins the cable's ends and lets the stream flow over it. After a start that failed, rts_characters_end() cleans up. */
rts_status rts_characters_start(rts_characters *own, rts_cable *cable, int32_t cpu);

/** Writes them all to the line, as fast as it goes, until the cable's stop, and counts them. */
void rts_characters_write(rts_characters *own, const char *bytes, size_t count);

/** Whether the first characters have come. */
bool rts_characters_flow(const rts_characters *own);

/** After rts_cable_stop(): waits for the programs' end. */
void rts_characters_end(rts_characters *own);

/** Bytes copied since rts_characters_begin(). */
void rts_characters_begin(rts_characters *own);
uint64_t rts_characters_copied(const rts_characters *own);

#endif
