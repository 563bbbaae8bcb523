/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two parties and a semaphore for each: a party hands over by giving the other's and taking its own.
 */
#ifndef RTSTONE_MEASUREMENTS_PAIR_H
#define RTSTONE_MEASUREMENTS_PAIR_H

#include "ping.h"

/** The state of a measurement that is such a ping. */
typedef struct rts_pair {
    rts_ping ping;
    struct rts_semaphore for_a;
    struct rts_semaphore for_b;
    uint32_t made; /**< how many of the two there are */
} rts_pair;

/** The kind of semaphore: for threads, or one that processes can share (required if B is a process). */
typedef enum rts_pair_kind { RTS_PAIR_PRIVATE, RTS_PAIR_SHARED } rts_pair_kind;

/** A measurement's setup, but for the way and the kind; and its teardown. */
rts_status rts_pair_setup(rts_run *run, const rts_ping_way *way, rts_pair_kind kind);
void rts_pair_teardown(rts_run *run);

/** Steps of a way. */
rts_status rts_pair_give_a(rts_ping *ping);
rts_status rts_pair_give_b(rts_ping *ping);
rts_status rts_pair_take_a(rts_ping *ping);
rts_status rts_pair_take_b(rts_ping *ping);
rts_status rts_pair_pass_a(rts_ping *ping); /**< gives B's, takes A's */
rts_status rts_pair_pass_b(rts_ping *ping); /**< gives A's, takes B's */

#endif
