/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The ports that there are: made, found by name, and watched.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <errlog.h>

#include "port_set.h"
#include "port_thread.h"

#define WATCH_PERIOD_S 0.25

static port *ports;

port *port_find(const char *name)
{
    port *own = ports;
    while (own != NULL && strcmp(own->name, name) != 0) {
        own = own->next;
    }
    return own;
}

port *port_next(const port *before)
{
    return before == NULL ? ports : before->next;
}

/** Ends the set of a sampler that does not return: its samples so far are served, and operators see the reason. */
static void watch(void *pvt)
{
    port *const own = pvt;
    epicsMutexMustLock(own->lock);
    const epicsUInt64 now = epicsMonotonicGet();
    if (own->state == PORT_RUNNING && own->asked != 0 && (double)(now - own->asked) > own->patience_s * 1e9) {
        errlogPrintf("sampler '%s' of port '%s' has not come back for %.3g s: its set ends with %d of %d samples\n",
                     own->sampler, own->name, own->patience_s, (int)own->filling.samples, (int)own->wanted);
        port_complete(own);
        char why[MESSAGE_SIZE];
        (void)snprintf(why, sizeof why, "no sample for %.3g s: the sampler '%s' does not come back", own->patience_s,
                       own->sampler);
        port_enter(own, PORT_STUCK, why);
    }
    epicsMutexUnlock(own->lock);
}

static void watch_again(void *pvt)
{
    port *const own = pvt;
    watch(own);
    epicsTimerStartDelay(own->watchdog, WATCH_PERIOD_S);
}

static port *refuse(const char *name, const char *why)
{
    (void)fprintf(stderr, "samplerPortConfigure: port '%s': %s\n", name == NULL ? "" : name, why);
    return NULL;
}

static int make_room(port *own)
{
    int made = port_set_create(&own->filling, own->room) && port_set_create(&own->ready.set, own->room) &&
               port_set_create(&own->served.set, own->room);
    for (unsigned i = 0; i < PARAMETERS && made; i++) {
        own->statistics[i] = calloc(1, sizeof *own->statistics[i]);
        made = own->statistics[i] != NULL;
    }
    return made;
}

port *port_create(const char *name, const char *sampler, int room, double patience_s)
{
    static epicsTimerQueueId queue;
    getSampleType getSample;
    void *pvt;
    if (name == NULL || name[0] == '\0' || strlen(name) >= SAMPLER_NAME_SIZE || strpbrk(name, "(), ") != NULL) {
        return refuse(name, "a port's name has 1 to 31 characters, none of them a blank, a comma or a parenthesis");
    }
    if (port_find(name) != NULL) {
        return refuse(name, "there is one of that name already");
    }
    if (sampler == NULL || !samplerFind(sampler, &getSample, &pvt)) {
        return refuse(name, "there is no such sampler; samplerReport lists them");
    }
    if (room < 1 || room > SAMPLES_MAX) {
        return refuse(name, "a set has from 1 to 100000 samples");
    }
    if (!(patience_s >= 0.01 && patience_s <= 3600.0)) {
        return refuse(name, "patience is from 0.01 to 3600 seconds");
    }
    port *const own = calloc(1, sizeof *own);
    if (own == NULL) {
        return refuse(name, "no memory");
    }
    own->room = room;
    if (!make_room(own)) {
        return refuse(name, "no memory"); /* nothing is given back: the start-up script ends here */
    }
    (void)snprintf(own->name, sizeof own->name, "%s", name);
    (void)snprintf(own->sampler, sizeof own->sampler, "%s", sampler);
    own->patience_s = patience_s;
    own->wanted = room < 1000 ? room : 1000;
    own->limit_ns = 100000;
    own->standing.fifo = -1;
    epicsTimeGetCurrent(&own->served.time);
    own->lock = epicsMutexMustCreate();
    own->go = epicsEventMustCreate(epicsEventEmpty);
    own->taken_over = epicsEventMustCreate(epicsEventEmpty);
    scanIoInit(&own->on_results);
    scanIoInit(&own->on_status);
    own->next = ports;
    ports = own;
    if (!port_thread_start(own)) {
        ports = own->next;
        return refuse(name, "its thread cannot be made");
    }
    if (queue == NULL) {
        queue = epicsTimerQueueAllocate(1, epicsThreadPriorityScanHigh);
    }
    own->watchdog = epicsTimerQueueCreateTimer(queue, watch_again, own);
    epicsTimerStartDelay(own->watchdog, WATCH_PERIOD_S);
    return own;
}
