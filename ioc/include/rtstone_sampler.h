/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the generic part of the IOC and the part of one operating system agree on: a sampler hands over one measurement a call.
 *
 * The interface of Xu and Kraimer (2005), kept so that a driver written for theirs needs its delays in nanoseconds and no more.
 */
#ifndef RTSTONE_SAMPLER_H
#define RTSTONE_SAMPLER_H

#include <limits.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What one interrupt gave, in nanoseconds. Signed, unlike the paper's: a timer may anticipate. */
typedef struct delayMeasure {
    long interruptLatency;      /**< from the interrupt's assertion to its handler (Linux: the top half) */
    long topToBottom;           /**< from the top half to the bottom half */
    long bottomToUserInterrupt; /**< from the bottom half to the user-level interrupt service routine */
    long contextSwitch;         /**< from the handler's release of the semaphore to the task that has the CPU */
    long totalResponse;         /**< from the assertion to the task */
} delayMeasure;

/** The value of a delay that this sampler cannot measure. Never a zero. */
#define DELAY_NOT_MEASURED LONG_MIN

/** Waits for one interrupt and measures it. Returns 0, or an errno value when it cannot get one; it is then not called again until a new start. */
typedef int (*getSampleType)(void *samplerPvt, delayMeasure *pdelayMeasure);

typedef struct samplerManager {
    /** Makes a sampler known by name. Returns 0; -1 when the name is taken, empty or too long, or there are too many. */
    int (*registerSampler)(const char *name, getSampleType getSample, void *samplerPvt);
    /** Removes the sampler: ports that use it fail from their next sample on. Returns 0; -1: there is no sampler with that samplerPvt. */
    int (*removeSampler)(void *samplerPvt);
    /**
     * Why getSample fails now, in an operator's words: one line, of which 255 bytes are shown until the next start. Without it the record shows the
     * text of strerror. May be called by any thread. Returns 0; -1: there is no sampler with that samplerPvt.
     */
    int (*explain)(void *samplerPvt, const char *why);
} samplerManager;

extern samplerManager *psamplerManager;

#ifdef __cplusplus
}
#endif

#endif
