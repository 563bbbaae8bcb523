/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The two clients of an IOC, wherever they are: started once, let loose while an item is measured, held in between.
 */
#ifndef RTSTONE_IOC_CLIENTS_H
#define RTSTONE_IOC_CLIENTS_H

#include "rtstone/load.h"

/* One unit of intensity; fifty are the paper's 5000 puts every five seconds. */
#define IOC_RECORDS_OF_ONE 100u
#define IOC_PAUSE_MS_OF_ONE 100u

#define IOC_CLIENTS_UNIT "hundreds of puts and monitors a burst, and tenths of a second between two"
#define IOC_CLIENTS_NEED                                                                                               \
    "the engine is in no IOC: it is in one with the target ioc, on this machine, in the guests of the boards pc, and in the kernel rtems-ioc of zynq-a9 and zynq-a9-link"

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

/** Finds out where the clients can be. RTS_UNSUPPORTED: they can be nowhere. */
rts_status ioc_clients_open(void);

/** The same for the user, once it is known. */
const char *ioc_clients_where(void);

/** Starts the clients if they do not run yet, and lets them burst: the first burst comes 50 ms later. */
rts_status ioc_clients_burst(uint32_t records, uint32_t pause_ms, int32_t cpu);

/** Holds them after the current burst, when all of it has been monitored. False if that takes too long. */
bool ioc_clients_hold(void);

/** Begins to count the network on the way to them, and ends that. Both return what the clients have done so far. */
ioc_clients_counts ioc_clients_begin(void);
ioc_clients_counts ioc_clients_stop(void);

/** Reports the network's counts between the two. */
void ioc_clients_network(rts_load_fact_fn fact, void *arg);

/** For `in_burst` of a load: whether puts are under way, or monitors of them are still to come. */
bool ioc_clients_in_burst(const void *state);

/** Ends them, so that their place is free for other loads. */
void ioc_clients_end(void);

/** Whether they run on another machine than this one, as far as it is known. */
bool ioc_clients_elsewhere(void);

/** What went wrong, for the user. */
const char *ioc_clients_why(void);

#endif
