/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A port: one sampler, which takes sets of samples on request, and the statistics of all its samples. interface.h has the part that records see.
 *
 * A set is first requested (START), then complete, then taken over (SERVE, by the record that the set's end processes). Statistics grow by whole
 * sets, so that the served raw values and the statistics next to them always belong to the same samples.
 */
#ifndef RTSTONE_IOC_PORT_H
#define RTSTONE_IOC_PORT_H

#include <dbScan.h>
#include <epicsEvent.h>
#include <epicsMutex.h>
#include <epicsThread.h>
#include <epicsTime.h>
#include <epicsTimer.h>
#include <epicsTypes.h>

#include "manager.h"
#include "standing.h"
#include "statistics.h"

#define PARAMETERS 5u
#define SAMPLES_MAX 100000
#define MESSAGE_SIZE SAMPLER_WHY_SIZE

typedef enum port_state {
    PORT_IDLE = 0,
    PORT_RUNNING,
    PORT_STUCK, /**< the sampler has not come back for longer than the port's patience */
    PORT_FAILED /**< the sampler said that there is nothing to be had; the next start tries again */
} port_state;

/** The raw values of one set. A parameter that the sampler does not measure has count 0. */
typedef struct port_set {
    epicsInt32 samples;
    epicsInt32 count[PARAMETERS];
    epicsInt32 saturated[PARAMETERS];
    epicsInt32 *value[PARAMETERS];
    epicsUInt8 *burst[PARAMETERS]; /**< 1: the value came during a burst of the load */
    epicsUInt8 *has;               /**< of each sample, by bits: which parameters have a value of it */
} port_set;

/** What records are served: all of one moment. */
typedef struct port_results {
    epicsUInt64 count;   /**< samples since Clear */
    epicsUInt64 sets;    /**< complete or cut short, since Clear */
    epicsTimeStamp time; /**< when the last set ended, or the statistics were recounted */
    port_set set;        /**< the last one */
    statistics_result parameter[PARAMETERS];
} port_results;

typedef struct port {
    struct port *next;
    char name[SAMPLER_NAME_SIZE];
    char sampler[SAMPLER_NAME_SIZE];
    epicsInt32 room;   /**< most samples of a set */
    double patience_s; /**< how long one sample may take */
    IOSCANPVT on_results;
    IOSCANPVT on_status;

    epicsMutexId lock; /**< of all that follows */
    epicsEventId go;
    epicsEventId taken_over;
    epicsTimerId watchdog;
    port_state state;
    char message[MESSAGE_SIZE]; /**< why it is stuck or failed; empty */
    char told[MESSAGE_SIZE];    /**< the failure that is in the log already; empty: none since the last complete set */
    epicsInt32 wanted;          /**< samples a set */
    epicsInt32 limit_ns;
    epicsUInt64 missed; /**< starts that found a set not yet complete */
    unsigned burst;     /**< the load is at work, as its client says */
    unsigned stop;      /**< the set is to end now */
    epicsUInt64 asked;  /**< when the sampler was called, on epicsMonotonicGet; 0: it is not being waited for */
    standing standing;  /**< of the thread that calls the sampler */

    port_set filling;
    port_results ready;
    unsigned pending; /**< `ready` has not been taken over */
    port_results served;
    epicsUInt64 count;
    epicsUInt64 sets;
    statistics *statistics[PARAMETERS];
} port;

/** Makes a port and its thread. Says what is wrong and returns NULL when it cannot. Before iocInit. */
port *port_create(const char *name, const char *sampler, int room, double patience_s);

port *port_find(const char *name);

/** Each port in turn: NULL begins, NULL ends. */
port *port_next(const port *before);

/** Asks for a set. Counted as missed when the last one is not complete yet. */
void port_start(port *own);

/** Ends the set that is being taken; its samples so far are served. */
void port_stop(port *own);

/** Forgets every sample, also of the set that is being taken, which goes on. */
void port_clear(port *own);

/** Sets another limit and recounts all statistics, at once. While a set waits to be taken over, the served statistics are recounted after that. */
void port_set_limit(port *own, epicsInt32 limit_ns);

/** Takes over the latest complete set, to be served until the next call. */
void port_serve(port *own);

/** Prints the state of a port on standard output. */
void port_report(port *own);

#endif
