/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs at the far end of the cable, which outlive the load that started them: they rest between two items.
 */
#ifndef RTSTONE_FAR_PROGRAMS_H
#define RTSTONE_FAR_PROGRAMS_H

#include "cable.h"

#define RTS_FAR_PROGRAMS 2u

typedef struct rts_far_spec {
    char *const
        *words[RTS_FAR_PROGRAMS]; /**< the command line of each, up to a NULL; the first word is the program's path */
    char *const *environment;     /**< what is added to it: "NAME=value", up to a NULL */
    int descriptor;               /**< an open file that they inherit, under the same number */
    bool (*may_go_on)(void);      /**< whether the second may start; called by another process */
    int32_t cpu;
} rts_far_spec;

/** Takes the cable's far device and starts them: the first at once, each other one when it may go on. False: the cable did not come up. */
bool rts_far_start(const rts_far_spec *spec);

/** Sends a signal to all. */
void rts_far_signal(int number);

/** Whether one has ended, or could not be started. */
bool rts_far_failed(void);

/** Kills all. The far device comes back a while later. */
void rts_far_end(void);

#endif
