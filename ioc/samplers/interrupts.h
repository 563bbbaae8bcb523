/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Samplers on the engine's own chain (engine/measurements/common/chain.h): all delays of a sample are of one interrupt, by the code that the
 * engine's measurements use.
 */
#ifndef RTSTONE_IOC_INTERRUPTS_H
#define RTSTONE_IOC_INTERRUPTS_H

#include "rtstone/port.h"

/** Which interrupts. Of these one sampler at a time may measure. */
typedef struct interrupts_spec {
    const char *name;   /**< of the sampler */
    const char *device; /**< the probe module's; NULL: the port's own timer gives the interrupts */
    /** Opens the device, and gives it back. On failure `why` is one sentence. */
    rts_status (*open)(const char *device, const char **why);
    void (*release)(void);
    const char *source; /**< of the engine's timer, or of the module */
    unsigned period_us; /**< 0: the measuring task raises each, at once */
    rts_timer_path path;
    int32_t cpu; /**< resolved */
} interrupts_spec;

/** Registers a sampler. Returns NULL, or why it cannot be. */
const char *interrupts_register(const interrupts_spec *spec);

/**
 * Prepares the port for a program that is more than the engine (posix.c, ../rtems/rtems.c): an error that would end the engine calls `fatal`, and
 * ends only the thread that met it. Returns NULL, or why there can be no interrupts.
 */
const char *interrupts_prepare(void (*fatal)(const char *reason));

#endif
