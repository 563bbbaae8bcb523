/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The thread that calls a port's sampler, as often as a set asks for. It is the only one that ever waits for it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <errlog.h>

#include "port_set.h"
#include "port_thread.h"

/** A set that nobody has taken over for so long: operators are to see what holds up the next one. */
#define UNSERVED_S 5.0

/** Calls the sampler without the lock. Returns what it returned. */
static int ask(port *own, delayMeasure *sample)
{
    getSampleType getSample;
    void *pvt;
    if (!samplerFind(own->sampler, &getSample, &pvt)) {
        return ENXIO; /* it has been removed */
    }
    own->asked = epicsMonotonicGet();
    epicsMutexUnlock(own->lock);
    const int error = getSample(pvt, sample);
    epicsMutexMustLock(own->lock);
    own->asked = 0;
    return error;
}

/** Waits until the last set has been taken over, however long that takes: none is overwritten unseen. */
static void wait_until_served(port *own)
{
    epicsUInt64 from = epicsMonotonicGet();
    unsigned told = 0;
    while (own->pending != 0) {
        if ((double)(epicsMonotonicGet() - from) > UNSERVED_S * 1e9) {
            if (!told) {
                char why[MESSAGE_SIZE];
                (void)snprintf(why, sizeof why, "no record has taken over the last set for %.0f s", UNSERVED_S);
                errlogPrintf("port '%s': %s\n", own->name, why);
                port_enter(own, own->state, why);
            }
            told = 1;
            from = epicsMonotonicGet();
            scanIoRequest(own->on_results); /* the last one may have found base's queue full */
        }
        epicsMutexUnlock(own->lock);
        (void)epicsEventWaitWithTimeout(own->taken_over, 0.1);
        epicsMutexMustLock(own->lock);
    }
}

/** Reports why the sampler failed; in the log only once, since a scan asks again and again. */
static void fail(port *own, int error)
{
    char why[MESSAGE_SIZE];
    samplerWhy(own->sampler, error, why);
    if (strcmp(why, own->told) != 0) {
        errlogPrintf("sampler '%s' of port '%s' has failed: %s\n", own->sampler, own->name, why);
        (void)snprintf(own->told, sizeof own->told, "%s", why);
    }
    port_enter(own, PORT_FAILED, why);
}

/** It came back after the watchdog had ended its set: the longest sample of all is not to be lost, and is a set of its own. */
static void come_back(port *own, int error, const delayMeasure *sample)
{
    wait_until_served(own);
    if (error == 0) {
        port_set_add(&own->filling, sample, own->burst);
        port_complete(own);
    }
    errlogPrintf("sampler '%s' of port '%s' has come back\n", own->sampler, own->name);
    if (error == 0) {
        port_enter(own, PORT_IDLE, "");
    } else {
        fail(own, error);
    }
}

static void take_set(port *own)
{
    while (own->state == PORT_RUNNING && own->stop == 0 && own->filling.samples < own->wanted) {
        delayMeasure sample;
        const int error = ask(own, &sample);
        if (own->state == PORT_STUCK) {
            come_back(own, error, &sample);
        } else if (error != 0) {
            wait_until_served(own);
            port_complete(own);
            fail(own, error);
        } else {
            port_set_add(&own->filling, &sample, own->burst);
        }
    }
    if (own->state == PORT_RUNNING) {
        if (own->told[0] != '\0' && own->filling.samples > 0) {
            errlogPrintf("sampler '%s' of port '%s' is at work again\n", own->sampler, own->name);
            own->told[0] = '\0';
        }
        wait_until_served(own);
        port_complete(own);
        port_enter(own, PORT_IDLE, "");
    }
}

static void work(void *pvt)
{
    port *const own = pvt;
    const standing mine = standing_of_self();
    epicsMutexMustLock(own->lock);
    own->standing = mine;
    for (;;) {
        while (own->state != PORT_RUNNING) {
            epicsMutexUnlock(own->lock);
            epicsEventMustWait(own->go);
            epicsMutexMustLock(own->lock);
        }
        take_set(own);
    }
}

int port_thread_start(port *own)
{
    epicsThreadOpts opts = EPICS_THREAD_OPTS_INIT;
    opts.priority = epicsThreadPriorityHigh;
    return epicsThreadCreateOpt(own->name, work, own, &opts) != NULL;
}
