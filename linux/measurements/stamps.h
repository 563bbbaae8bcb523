/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's own stamps of received datagrams (SO_TIMESTAMPING), put on the clock of the measured interrupt.
 *
 * The kernel stamps by CLOCK_REALTIME, the engine reads CLOCK_MONOTONIC. Both advance alike: their difference is constant until somebody sets the first.
 * It is learned from readings of one between two of the other, each of which narrows it. A reading that contradicts the others is a clock that was set.
 */
#ifndef RTSTONE_STAMPS_H
#define RTSTONE_STAMPS_H

#include <netinet/in.h>
#include <sys/types.h>

#include "../system.h"

typedef struct rts_stamps {
    bool known;
    int64_t low; /**< CLOCK_REALTIME less CLOCK_MONOTONIC (ns) lies between these two */
    int64_t high;
    uint64_t steps;           /**< how often it was set */
    rts_ticks doubtful_until; /**< datagrams that waited when the clock was set have a stamp from before */
    uint64_t widest;          /**< largest error of a stamp that was converted (ns) */
} rts_stamps;

/** A datagram as it came. */
typedef struct rts_stamped {
    struct sockaddr_in from;
    uint64_t stamp;    /**< CLOCK_REALTIME (ns); 0: the kernel gave none */
    rts_ticks resumed; /**< the first reading after the call that received it */
} rts_stamped;

/** Records one reading of CLOCK_REALTIME between two of CLOCK_MONOTONIC. False: the clock was set within the last second. */
bool rts_stamps_learn(rts_stamps *own, rts_ticks before, uint64_t realtime, rts_ticks after);

/** Reads both clocks and learns from that, after each datagram. True: its stamp can be converted. */
bool rts_stamps_read(rts_stamps *own);

/** Converts a stamp to CLOCK_MONOTONIC; the error is at most half of the interval between `low` and `high`. */
rts_ticks rts_stamps_convert(rts_stamps *own, uint64_t stamp);

/** Requests stamps in software. False: errno says why. */
bool rts_stamps_ask(int socket);

/** Receives a datagram with its stamp. Returns its whole length, even if it is longer than the room; -1: errno says why. */
ssize_t rts_stamps_receive(int socket, void *bytes, size_t room, int flags, rts_stamped *stamped);

/** What the driver that has this address can stamp, in words: constants. `device` is its name. */
const char *rts_stamps_driver(uint32_t address, char device[16]);

#endif
