/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this port share with each other; nothing outside this folder includes it.
 */
#ifndef RTSTONE_EPICS_H
#define RTSTONE_EPICS_H

#include <stdio.h>

#include "place.h"

/* libCom's priorities go from 0 to 99 on every system, and are mapped to the system's own. */
enum {
    RTS_EPICS_PRIORITY_LOAD = 0,
    RTS_EPICS_PRIORITY_LOW = 60,
    RTS_EPICS_PRIORITY_MIDDLE = 70,
    RTS_EPICS_PRIORITY_HIGH = 80,
    RTS_EPICS_PRIORITY_TOP = 90,
    RTS_EPICS_PRIORITY_HANDLER = 95
};

#define RTS_NS_PER_S 1000000000u

/** Sets the source of the plan; NULL: there is no plan. */
void rts_epics_plan_from(FILE *file);

/** Signals that end a run, and none that ends it when nobody reads. */
void rts_epics_signals(void);

/** True when threads of libCom really get a real-time class; asked once. */
bool rts_epics_realtime(void);

#endif
