/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The measuring task waits for interrupts, below every bottom half, and fills the ring; getSample empties it. When no caller asks any more, the
 * ring fills up and the source is stopped. Its contents are then thrown away, since a new set is to show the present.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

#define RING 256u
#define WHY 256u

struct stream {
    const stream_source *source;
    void *own;
    struct rts_thread task;
    pthread_mutex_t
        lock; /* of all that follows; inherits priority, since the task must not wait for a less urgent thread */
    pthread_cond_t wanted;
    pthread_cond_t filled;
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

/** Nobody is to wait any longer; without an error the source is asked for again. With the lock held. */
static void give_up(stream *own, int error)
{
    own->running = false;
    own->error = error;
    own->asked = false;
    if (error != 0 && own->source->why != NULL) {
        (void)snprintf(own->why, sizeof own->why, "%s", own->source->why(own->own, error));
    }
    (void)pthread_cond_signal(&own->filled);
}

/*
 * The source is called without the lock: it may wait for threads of its own, or fail permanently by itself, and stream_break takes the lock.
 */

/** Waits until samples are wanted, and starts the source. With the lock held, but for the start. */
static void begin(stream *own)
{
    while (!own->asked && own->broken == NULL) {
        (void)pthread_cond_wait(&own->wanted, &own->lock);
    }
    if (own->broken != NULL) {
        return;
    }
    (void)pthread_mutex_unlock(&own->lock);
    const int error = own->source->start(own->own);
    (void)pthread_mutex_lock(&own->lock);
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
    (void)pthread_mutex_unlock(&own->lock);
    own->source->stop(own->own);
    (void)pthread_mutex_lock(&own->lock);
}

static void task(void *pvt)
{
    stream *const own = pvt;
    (void)pthread_mutex_lock(&own->lock);
    for (;;) {
        if (own->broken != NULL) {
            (void)pthread_cond_wait(&own->wanted, &own->lock); /* for ever */
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
        (void)pthread_mutex_unlock(&own->lock);
        delayMeasure sample;
        const int error = own->source->wait(own->own, &sample);
        (void)pthread_mutex_lock(&own->lock);
        if (own->broken != NULL) {
            continue;
        }
        if (error != 0) {
            end(own, error);
            continue;
        }
        own->ring[own->in++ % RING] = sample;
        (void)pthread_cond_signal(&own->filled);
    }
}

int stream_get(void *pvt, delayMeasure *sample)
{
    stream *const own = pvt;
    (void)pthread_mutex_lock(&own->lock);
    if (!own->running && own->error == 0 && own->broken == NULL) {
        own->out = own->in; /* what was left when nobody asked any more */
    }
    while (own->in == own->out && own->error == 0 && own->broken == NULL) {
        own->asked = true;
        (void)pthread_cond_signal(&own->wanted);
        (void)pthread_cond_wait(&own->filled, &own->lock);
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
    (void)pthread_mutex_unlock(&own->lock);
    return error;
}

void stream_break(stream *own, const char *why)
{
    (void)pthread_mutex_lock(&own->lock);
    own->broken = why;
    (void)pthread_cond_signal(&own->filled);
    (void)pthread_mutex_unlock(&own->lock);
}

static bool make_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attr;
    if (pthread_mutexattr_init(&attr) != 0) {
        return false;
    }
    const bool made =
        pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT) == 0 && pthread_mutex_init(lock, &attr) == 0;
    (void)pthread_mutexattr_destroy(&attr);
    return made;
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
    if (!make_lock(&made->lock) || pthread_cond_init(&made->wanted, NULL) != 0 ||
        pthread_cond_init(&made->filled, NULL) != 0 ||
        rts_port_thread_create(&made->task, &attr, task, made) != RTS_OK) {
        free(made);
        return NULL;
    }
    return made;
}
