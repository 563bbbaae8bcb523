/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A port's life: made, asked for sets, watched, and its results handed to the records.
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

/** A sampler that does not come back: what it gave so far is served, and operators see why there is no more. */
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

void port_enter(port *own, port_state state, const char *message)
{
    own->state = state;
    (void)snprintf(own->message, sizeof own->message, "%s", message);
    scanIoRequest(own->on_status);
}

void port_complete(port *own)
{
    port_set *const set = &own->filling;
    if (set->samples == 0) {
        return;
    }
    for (unsigned i = 0; i < PARAMETERS; i++) {
        for (epicsInt32 k = 0; k < set->count[i]; k++) {
            statistics_add(own->statistics[i], set->value[i][k], own->limit_ns, set->burst[i][k]);
        }
        own->statistics[i]->result.saturated += (epicsUInt64)set->saturated[i];
    }
    own->count += (epicsUInt64)set->samples;
    own->sets++;
    port_publish(own);
    port_set_clear(set);
}

void port_publish(port *own)
{
    own->ready.count = own->count;
    own->ready.sets = own->sets;
    epicsTimeGetCurrent(&own->ready.time);
    port_set_copy(&own->ready.set, &own->filling);
    for (unsigned i = 0; i < PARAMETERS; i++) {
        statistics_result_of(own->statistics[i], &own->ready.parameter[i]);
    }
    own->pending = 1;
    scanIoRequest(own->on_results);
}

void port_start(port *own)
{
    epicsMutexMustLock(own->lock);
    if (own->state == PORT_IDLE || own->state == PORT_FAILED) {
        port_set_clear(&own->filling);
        own->stop = 0;
        port_enter(own, PORT_RUNNING, "");
        epicsEventMustTrigger(own->go);
    } else {
        own->missed++;
        scanIoRequest(own->on_status);
    }
    epicsMutexUnlock(own->lock);
}

void port_stop(port *own)
{
    epicsMutexMustLock(own->lock);
    own->stop = 1; /* seen when the sampler comes back; if it does not, the watchdog ends the set */
    epicsMutexUnlock(own->lock);
}

void port_clear(port *own)
{
    epicsMutexMustLock(own->lock);
    for (unsigned i = 0; i < PARAMETERS; i++) {
        statistics_clear(own->statistics[i]);
    }
    own->count = 0;
    own->sets = 0;
    own->missed = 0;
    port_set_clear(&own->filling);
    port_publish(own);
    scanIoRequest(own->on_status);
    epicsMutexUnlock(own->lock);
}

void port_set_limit(port *own, epicsInt32 limit_ns)
{
    epicsMutexMustLock(own->lock);
    if (limit_ns != own->limit_ns) {
        own->limit_ns = limit_ns;
        for (unsigned i = 0; i < PARAMETERS; i++) {
            statistics_limit(own->statistics[i], limit_ns);
            statistics_result_of(own->statistics[i], &own->ready.parameter[i]);
        }
        if (own->pending == 0) { /* else the set that waits brings them */
            memcpy(own->served.parameter, own->ready.parameter, sizeof own->served.parameter);
            epicsTimeGetCurrent(&own->served.time);
        }
    }
    epicsMutexUnlock(own->lock);
}

void port_serve(port *own)
{
    epicsMutexMustLock(own->lock);
    if (own->pending != 0) {
        own->served.count = own->ready.count;
        own->served.sets = own->ready.sets;
        own->served.time = own->ready.time;
        memcpy(own->served.parameter, own->ready.parameter, sizeof own->served.parameter);
        port_set_copy(&own->served.set, &own->ready.set);
        own->pending = 0;
        epicsEventMustTrigger(own->taken_over);
    }
    epicsMutexUnlock(own->lock);
}

void port_report(port *own)
{
    static const char *const states[] = {"idle", "running", "stuck", "failed"};
    epicsMutexMustLock(own->lock);
    (void)printf("port %s: sampler %s, %s%s%s; %llu samples in %llu sets, %llu starts missed; SCHED_FIFO %d\n",
                 own->name, own->sampler, states[own->state], own->message[0] == '\0' ? "" : ": ", own->message,
                 (unsigned long long)own->count, (unsigned long long)own->sets, (unsigned long long)own->missed,
                 own->standing.priority);
    epicsMutexUnlock(own->lock);
}
