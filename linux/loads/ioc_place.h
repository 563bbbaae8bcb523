/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where the clients of an IOC are: at the far end of the board's cable (ioc_inside.c), or outside of it (ioc_outside.c).
 */
#ifndef RTSTONE_IOC_PLACE_H
#define RTSTONE_IOC_PLACE_H

#include "cable.h"
#include "ioc_account.h"

typedef struct ioc_place {
    const char *where; /**< for the user */
    /** Sets up the counts of the network on the way to them. RTS_UNSUPPORTED: they cannot be there. */
    rts_status (*network)(rts_cable *cable);
    /** Starts clients there, which burst on request; NULL with `why` when that fails. They need not be connected yet. */
    rtstone_load_account *(*start)(uint32_t records, uint32_t pause_ms, int32_t cpu, const char **why);
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

extern const ioc_place ioc_inside;
extern const ioc_place ioc_outside;

/** Waits until the condition holds, and checks it every `each_us` µs. False if it does not within two minutes, or the clients at `place` failed. */
bool ioc_place_until(const ioc_place *place, bool (*holds)(const void *arg), const void *arg, unsigned each_us);

#endif
