/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where the clients of an IOC are. Each system has its own places (place_linux.c).
 */
#ifndef RTSTONE_IOC_PLACE_H
#define RTSTONE_IOC_PLACE_H

#include "rtstone/load.h"
#include "rtstone_load_account.h"

typedef struct ioc_place {
    const char *where; /**< for the user */
    /** Finds the network on the way to them. RTS_UNSUPPORTED: they cannot be there. */
    rts_status (*open)(void);
    /** Begins to count that network, or ends it; then `achieved` reports the counts. */
    void (*count)(bool begins);
    void (*achieved)(rts_load_fact_fn fact, void *arg);
    /**
     * Starts clients there, which burst on request; NULL with `why` when that fails. They need not be connected yet.
     * A place that has to give up what they need before they have ended calls `give_up` first.
     */
    rtstone_load_account *(*start)(uint32_t records, uint32_t pause_ms, int32_t cpu, void (*give_up)(void),
                                   const char **why);
    /** Informs them that `wanted` of the account has changed: bursts, or none. */
    void (*tell)(void);
    /** They have done all requested bursts: they may rest. */
    void (*rest)(void);
    /** They are gone, or cannot go on. */
    bool (*failed)(void);
    /** Whether they run on another machine than this one. */
    bool (*elsewhere)(void);
    void (*end)(void);
} ioc_place;

/** The places of this system, up to a NULL: the first at which clients can be is taken. */
extern const ioc_place *const ioc_places[];

/** Waits until the condition holds, and checks it every `each_us` µs. False if it does not within two minutes, or the clients failed. */
bool ioc_place_until(bool (*failed)(void), bool (*holds)(const void *arg), const void *arg, uint32_t each_us);

#endif
