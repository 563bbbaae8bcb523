/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A port at work: asked for sets, and its results handed to the records.
 */
#include <stdio.h>
#include <string.h>

#include "port_set.h"
#include "port_thread.h"

void port_enter(port *own, port_state state, const char *message)
{
    own->state = state;
    (void)snprintf(own->message, sizeof own->message, "%s", message);
    scanIoRequest(own->on_status);
}

void port_complete(port *own)
{
    port_set *const set = &own->filling;
    if (set->samples == 0 || own->pending != 0) {
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
        if (own->state == PORT_STUCK) {
            port_complete(own); /* what the watchdog had to leave until now */
        }
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
