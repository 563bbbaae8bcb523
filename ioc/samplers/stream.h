/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A measuring task and a short ring between it and getSample: the caller's own work between two calls is in no sample.
 */
#ifndef RTSTONE_IOC_STREAM_H
#define RTSTONE_IOC_STREAM_H

#include "rtstone/port.h"
#include "rtstone_sampler.h"

/** Where interrupts come from. All three are called by the measuring task, and return 0 or an errno value. */
typedef struct stream_source {
    int (*start)(void *own);
    /** Waits for the next interrupt and measures it. */
    int (*wait)(void *own, delayMeasure *sample);
    void (*stop)(void *own);
    /** The meaning of an errno value of these functions, in an operator's words. NULL: the system's text. */
    const char *(*why)(void *own, int error);
} stream_source;

typedef struct stream stream;

/** Makes a stream on a resolved CPU. The source is not started before the first sample is asked for. NULL when there is no memory or no thread. */
stream *stream_create(const stream_source *source, void *own, int32_t cpu);

/** A getSampleType; its pvt is the stream. */
int stream_get(void *pvt, delayMeasure *sample);

/** Ends it permanently, from any thread: it delivers its samples, then the errno value ENOTRECOVERABLE, explained by `why`, which must stay valid. */
void stream_break(stream *own, const char *why);

/** Says why a sampler cannot be made, and returns -1. */
int sampler_refuse(const char *call, const char *name, const char *why);

#endif
