/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two parties that hand the CPU back and forth. The measurement hands it over; this code counts and times.
 *
 * Party A is the measurement's worker, party B a thread or a process of its own, on the same CPU. A slice has three parts: one round that is not
 * measured, in which B receives the slice's task; the measured rounds; one more round, in which B counts its switches. Between slices B waits.
 *
 * A records before each hand-over, and B upon each arrival, that it had its turn. Each verifies that the other had exactly one turn since its
 * own last. So both find a switch that did not happen, whatever status the service returned.
 */
#ifndef RTSTONE_MEASUREMENTS_PING_H
#define RTSTONE_MEASUREMENTS_PING_H

#include "worker.h"

/** The meaning of a single sample. */
typedef enum rts_ping_kind {
    RTS_PING_ROUND,  /**< from before A's hand-over to after its return: two switches */
    RTS_PING_THERE,  /**< from before A's hand-over to B's arrival: one switch */
    RTS_PING_EITHER, /**< each way by itself, in turn: one switch */
} rts_ping_kind;

typedef struct rts_ping rts_ping;

/** A way to hand over the CPU. Each call returns RTS_OK or why it failed. */
typedef struct rts_ping_way {
    rts_ping_kind kind;
    rts_priority a, b;
    rts_space b_space;
    uint32_t blocks; /**< how often both together wait in a round; 0: switches are not voluntary ones */
    rts_status (*first_b)(rts_ping *); /**< B waits for the first round of all */
    rts_status (*begin_a)(rts_ping *); /**< A begins a slice: B arrives, hands back, A goes on */
    rts_status (*pass_a)(rts_ping *);  /**< A hands over; returns when the CPU is A's again */
    rts_status (*pass_b)(rts_ping *);  /**< B hands back; returns when the CPU is B's again */
    rts_status (*idle_b)(rts_ping *);  /**< B hands back and waits for the next slice */
    rts_status (*wake_b)(rts_ping *);  /**< from neither party: ends B's wait between slices */
    rts_status (*free_a)(rts_ping *);  /**< B has failed: ends A's wait for it; NULL: A does not wait */
} rts_ping_way;

/** B's task in a slice. */
typedef enum rts_ping_task { RTS_PING_PLAIN, RTS_PING_STAMPED, RTS_PING_QUIT } rts_ping_task;

/** The first member of the state of every measurement that is a ping. */
struct rts_ping {
    rts_worker a;
    struct rts_thread b;
    bool b_made;
    const rts_ping_way *way;
    rts_run *run;
    rts_ping_task task;
    uint32_t rounds;
    uint32_t slice; /**< number of the slice that A has begun, from 1 */
    bool odd;       /**< the last hand-over that is measured ends in B */
    /*
     * The accounts lie in the window of a batch. They are words that the smallest machine counts in one go: they count within a slice, and turns,
     * which go on, are compared only with the one before.
     *
     * They are plain words, not atomics: where a semaphore or a queue hands over, it orders the accesses of both parties, so there is no data
     * race. Where a party is suspended, its port's hand-over does (CMakeLists.txt runs these under the thread sanitizer). Where it yields, one CPU and a
     * call that the compiler cannot look into order them, no operation that C calls a synchronization. Relaxed atomics would lengthen
     * the window: an increment in memory becomes three instructions, and each such measurement another quantity.
     */
    /* Written by A, read by B. */
    uint32_t a_turns;
    /* Written by B, read by A. */
    uint32_t b_turns; /**< arrivals that are measured */
    uint32_t b_alternations;
    rts_ticks b_arrived;
    rts_ticks b_left;
    uint64_t b_switches;
    rts_status b_status;
    bool b_ended;
    /* A's own. */
    uint32_t a_seen;     /**< B's turns as of A's last arrival */
    uint32_t b_turns_at; /**< and when the slice began */
    uint32_t a_alternations;
    uint32_t a_arrivals;
    uint64_t a_switches;
};

/** Makes both parties. The objects that `way` uses must exist. */
rts_status rts_ping_create(rts_ping *ping, rts_run *run, const rts_ping_way *way);

/** A measurement's batch and single; a batch of kind RTS_PING_THERE does not exist. They state the checks of the slice. */
rts_status rts_ping_batch(rts_run *run, uint32_t operations, rts_ticks *total);
rts_status rts_ping_single(rts_run *run, uint32_t samples);

/** Ends both parties; before the objects that they use are destroyed. */
void rts_ping_destroy(rts_ping *ping);

#endif
