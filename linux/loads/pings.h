/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Flood ping across the cable.
 */
#ifndef RTSTONE_PINGS_H
#define RTSTONE_PINGS_H

#include "cable.h"

/** A program that pings. */
typedef struct rts_pinger {
    rts_cable_program program;
    rts_cable *cable;
    uint32_t number; /**< tells its answers from the others' */
    uint64_t sent;
    uint64_t answered; /**< in time */
} rts_pinger;

/** Makes it; rts_cable_stop() and rts_cable_end(&own->program) end it. */
rts_status rts_pinger_start(rts_pinger *own, rts_cable *cable, uint32_t number, int32_t cpu);

#endif
