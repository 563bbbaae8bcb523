/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The measuring task waits for interrupts, below every bottom half, and fills the ring; getSample empties it. When no caller asks any more, the
 * ring fills up and the source is stopped. Its contents are then thrown away, since a new set is to show the present.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

#define RING 256u
#define WHY 256u
#define WAITING 64u /* at most: the task, or the threads of all ports of one sampler */

/** Wakes one of those who wait, if any: a semaphore that is given to nobody in advance. */
typedef struct event {
    struct rts_semaphore semaphore;
    unsigned waiting; /* under the stream's lock, as whoever calls await and wake */
} event;

struct stream {
    const stream_source *source;
    void *own;
    struct rts_thread task;
    struct rts_mutex lock; /* of all that follows; inherits priority: the task must not wait for a less urgent thread */
    event wanted;
    event filled;
    bool running; /* the source is started */
    bool asked;   /* somebody waits for a sample */
    int error;
    char why[WHY];      /* of that error, in the source's words */
    const char *broken; /* why it has ended for ever; NULL: it has not */
    unsigned in;
    unsigned out;
    delayMeasure ring[RING];
};

int sampler_refuse(const char *call, const char *name, const char *why)
{
    (void)fprintf(stderr, "%s: sampler '%s': %s\n", call, name == NULL ? "" : name, why);
    return -1;
}

static void lock(stream *own)
{
    (void)rts_port_mutex_lock(&own->lock);
}

static void unlock(stream *own)
{
    (void)rts_port_mutex_unlock(&own->lock);
}

static void await(stream *own, event *event_)
{
    event_->waiting++;
    unlock(own);
    (void)rts_port_semaphore_take(&event_->semaphore);
    lock(own);
}

static void wake(event *event_)
{
    if (event_->waiting > 0) {
        event_->waiting--;
        (void)rts_port_semaphore_give(&event_->semaphore);
    }
}

/** Nobody is to wait any longer; without an error the source is asked for again. With the lock held. */
static void give_up(stream *own, int error)
{
    own->running = false;
    own->error = error;
    own->asked = false;
    if (error != 0 && own->source->why != NULL) {
        (void)snprintf(own->why, sizeof own->why, "%s", own->source->why(own->own, error));
    }
    wake(&own->filled);
}

/*
 * The source is called without the lock: it may wait for threads of its own, or fail permanently by itself, and stream_break takes the lock.
 */

/** Waits until samples are wanted, and starts the source. With the lock held, but for the start. */
static void begin(stream *own)
{
    while (!own->asked && own->broken == NULL) {
        await(own, &own->wanted);
    }
    if (own->broken != NULL) {
        return;
    }
    unlock(own);
    const int error = own->source->start(own->own);
    lock(own);
    own->in = 0;
    own->out = 0;
    if (error == 0) {
        own->running = true;
    } else {
        give_up(own, error);
    }
}

/** Ends the source. With the lock held, but for the stop. */
static void end(stream *own, int error)
{
    give_up(own, error);
    unlock(own);
    own->source->stop(own->own);
    lock(own);
}

static void task(void *pvt)
{
    stream *const own = pvt;
    lock(own);
    for (;;) {
        if (own->broken != NULL) {
            await(own, &own->wanted); /* for ever */
            continue;
        }
        if (!own->running) {
            begin(own);
            continue;
        }
        if (own->in - own->out == RING) {
            end(own, 0);
            continue;
        }
        unlock(own);
        delayMeasure sample;
        const int error = own->source->wait(own->own, &sample);
        lock(own);
        if (own->broken != NULL) {
            continue;
        }
        if (error != 0) {
            end(own, error);
            continue;
        }
        own->ring[own->in++ % RING] = sample;
        wake(&own->filled);
    }
}

int stream_get(void *pvt, delayMeasure *sample)
{
    stream *const own = pvt;
    lock(own);
    if (!own->running && own->error == 0 && own->broken == NULL) {
        own->out = own->in; /* what was left when nobody asked any more */
    }
    while (own->in == own->out && own->error == 0 && own->broken == NULL) {
        own->asked = true;
        wake(&own->wanted);
        await(own, &own->filled);
    }
    int error = 0;
    if (own->in != own->out) {
        *sample = own->ring[own->out++ % RING];
    } else if (own->broken != NULL) {
        error = ENOTRECOVERABLE;
        (void)psamplerManager->explain(own, own->broken);
    } else {
        error = own->error;
        own->error = 0;
        if (own->source->why != NULL) {
            (void)psamplerManager->explain(own, own->why);
        }
    }
    unlock(own);
    return error;
}

void stream_break(stream *own, const char *why)
{
    lock(own);
    own->broken = why;
    wake(&own->filled);
    unlock(own);
}

stream *stream_create(const stream_source *source, void *own, int32_t cpu)
{
    stream *const made = calloc(1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->source = source;
    made->own = own;
    const rts_thread_attr attr = {
        .name = "sampler", .priority = RTS_PRIORITY_HIGH, .sched = RTS_SCHED_RT, .space = RTS_SPACE_SHARED, .cpu = cpu};
    if (rts_port_mutex_create(&made->lock, RTS_PROTOCOL_INHERIT) != RTS_OK ||
        rts_port_semaphore_create(&made->wanted.semaphore, 0, WAITING) != RTS_OK ||
        rts_port_semaphore_create(&made->filled.semaphore, 0, WAITING) != RTS_OK ||
        rts_port_thread_create(&made->task, &attr, task, made) != RTS_OK) {
        free(made);
        return NULL;
    }
    return made;
}
