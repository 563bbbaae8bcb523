/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The loads of one item: one, or several joined by '+', started and stopped together.
 */
#ifndef RTS_LOAD_SET_H
#define RTS_LOAD_SET_H

#include <stddef.h>

#include "rtstone/load.h"

/** How many loads may run together, unless the port defines another number. */
#ifndef RTS_PORT_LOADS_AT_ONCE
#define RTS_PORT_LOADS_AT_ONCE 2
#endif

typedef struct rts_load_set {
    uint32_t count; /**< 0: no load */
    const rts_load *load[RTS_PORT_LOADS_AT_ONCE];
    int64_t intensity[RTS_PORT_LOADS_AT_ONCE]; /**< from the load's name; -1: that of the item */
    _Alignas(max_align_t) unsigned char state[RTS_PORT_LOADS_AT_ONCE][RTS_LOAD_STATE_BYTES];
} rts_load_set;

_Static_assert(RTS_LOAD_STATE_BYTES % _Alignof(max_align_t) == 0, "the second state is aligned as the first");

/** A refusal of a set. */
typedef struct rts_load_fault {
    rts_status status;
    const char *reason; /**< short id: "unknown", "invalid", "denied" … */
    const char *load;   /**< the refused load; NULL: all names as given */
    const char *why;    /**< one sentence */
    const char *service;
} rts_load_fault;

/** Finds the loads of `names`, "cpu:2+disk", and asks the port for their services. False: `fault` has the reason. */
bool rts_load_set_find(rts_load_set *set, const char *names, rts_load_fault *fault);

/** All services that the loads of the set need. */
uint32_t rts_load_set_services(const rts_load_set *set);

/** The intensity of the set's n-th load: its own, or that of the item. */
uint32_t rts_load_set_intensity(const rts_load_set *set, uint32_t n, uint32_t item);

/** Starts them in order, each with a seed and an intensity of its own. If one fails, none runs, and `fault` has the load and the reason. */
bool rts_load_set_start(rts_load_set *set, const rts_load_spec *spec, rts_load_fault *fault);

/** Stops them in reverse order. */
void rts_load_set_stop(rts_load_set *set);

#endif
