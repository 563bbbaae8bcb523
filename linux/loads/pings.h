/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Flood ping across the cable.
 */
#ifndef RTSTONE_PINGS_H
#define RTSTONE_PINGS_H

#include "cable.h"

/** The identity of an echo. The packet carries it, so that its answer can be distinguished from other answers. */
typedef struct rts_ping {
    uint16_t from; /**< the sender's number */
    uint16_t sequence;
} rts_ping;

/** A socket that asks this address for echoes and gets its answers; -1: errno says why. */
int rts_ping_open(struct in_addr to);

/** Asks for one echo. False: it was not sent. */
bool rts_ping_ask(int ping, rts_ping of);

/** Takes the next answer, waiting as recv(2) does with these flags. False: there is no answer, errno says why. */
bool rts_ping_answer(int ping, int flags, rts_ping *of);

/** A program that pings. */
typedef struct rts_pinger {
    rts_cable_program program;
    rts_cable *cable;
    uint32_t number; /**< identifies its own answers */
    uint64_t sent;
    uint64_t answered; /**< in time */
} rts_pinger;

/** Creates the program; rts_cable_stop() and rts_cable_end(&own->program) end it. */
rts_status rts_pinger_start(rts_pinger *own, rts_cable *cable, uint32_t number, int32_t cpu);

#endif
