/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The measured interrupt by way of a bottom half: its handler leaves the rest to something more urgent than the task that waits, and that
 * releases the task. Where the handler is the engine's own, a thread of it is the bottom half; a kernel's own handler has the kernel's.
 */
#ifndef RTSTONE_MEASUREMENTS_DEFERRED_H
#define RTSTONE_MEASUREMENTS_DEFERRED_H

#include "rtstone/measurement.h"

/** What is recorded of each interrupt. */
typedef enum rts_deferred_of {
    RTS_DEFERRED_TOP_HALF,    /**< series 0: assertion to handler */
    RTS_DEFERRED_BOTTOM_HALF, /**< series 0: handler to bottom half; 1: release to task */
    RTS_DEFERRED_TOTAL        /**< series 0: assertion to task; no clock is read in between but the handler's first */
} rts_deferred_of;

rts_status rts_deferred_setup(rts_run *run, rts_deferred_of of);
rts_status rts_deferred_single(rts_run *run, uint32_t samples);
void rts_deferred_teardown(rts_run *run);

/**
 * RTS_OK if this port has the item's source of the interrupt as far as its name speaks of a kernel's own handler (its kind of bottom half, by
 * software); else RTS_UNSUPPORTED, and the run knows why.
 */
rts_status rts_deferred_source(rts_run *run);

#endif
