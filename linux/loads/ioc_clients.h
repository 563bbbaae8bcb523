/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The two clients of an IOC, at the far end of the board's cable or outside of it: started once, let loose while an item is measured, held in between.
 */
#ifndef RTSTONE_IOC_CLIENTS_H
#define RTSTONE_IOC_CLIENTS_H

#include "cable.h"

/* One unit of intensity; fifty are the paper's 5000 puts every five seconds. */
#define IOC_RECORDS_OF_ONE 100u
#define IOC_PAUSE_MS_OF_ONE 100u

#define IOC_CLIENTS_NEED                                                                                               \
    "the engine is in no IOC: it is in one with the target ioc, on this machine, and in the guests of the boards pc"

typedef struct ioc_clients_counts {
    uint64_t bursts;
    uint64_t puts;
    uint64_t failed;
    uint64_t burst_ns;
    uint64_t monitors;
    uint64_t merged;
    uint64_t lost; /**< when they were last held */
    uint64_t cut;
} ioc_clients_counts;

/** Finds out where the clients can be, and which counts of the network on the way exist. RTS_UNSUPPORTED: they can be nowhere. */
rts_status ioc_clients_network(rts_cable *cable);

/** The same for the user, once it is known. */
const char *ioc_clients_where(void);

/** Starts the clients if they do not run yet, and lets them burst: the first burst comes 50 ms later. */
rts_status ioc_clients_burst(uint32_t records, uint32_t pause_ms, int32_t cpu);

/** Holds them after the current burst, when all of it has been monitored. False if that takes too long. */
bool ioc_clients_hold(void);

ioc_clients_counts ioc_clients_count(void);

/** Whether puts are under way, or monitors of them are still to come. */
bool ioc_clients_in_burst(void);

/** Ends them, so that the cable is free for other loads. */
void ioc_clients_end(void);

/** Whether they run on another machine than this one, as far as it is known. */
bool ioc_clients_elsewhere(void);

/** What went wrong, for the user. */
const char *ioc_clients_why(void);

#endif
