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
    /** What there is to count of the network on the way to them. RTS_UNSUPPORTED: they cannot be there. */
    rts_status (*network)(rts_cable *cable);
    /** Begins to have clients there which will burst as told; NULL with `why` when that fails. They need not be connected yet. */
    rtstone_load_account *(*start)(uint32_t records, uint32_t pause_ms, int32_t cpu, const char **why);
    /** Tells them that what is wanted of them has changed. */
    void (*tell)(void);
    /** They have done all that was wanted: they may rest. */
    void (*rest)(void);
    /** They are gone, or cannot go on. */
    bool (*failed)(void);
    /** Whether they run on another machine than this one. */
    bool (*elsewhere)(void);
    void (*end)(void);
} ioc_place;

extern const ioc_place ioc_inside;
extern const ioc_place ioc_outside;

/** Waits until it holds, looking every `each_us` µs. False when it does not within two minutes, or the clients at `place` have failed. */
bool ioc_place_until(const ioc_place *place, bool (*holds)(const void *arg), const void *arg, unsigned each_us);

#endif
