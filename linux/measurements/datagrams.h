/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A response timed by another machine: datagrams that a stimulus sends and a responder answers, and the counts of each of the two.
 *
 * Each side has one thread of its own from the item's beginning to its end, so that no slice of the engine affects any figure.
 */
#ifndef RTSTONE_DATAGRAMS_H
#define RTSTONE_DATAGRAMS_H

#include <stdatomic.h>

#include "network.h"
#include "stamps.h"

#define DATAGRAM_ASKS 1u
#define DATAGRAM_ANSWERS 2u
#define DATAGRAM_SLOTS 16384u         /**< the last ones sent or received, of which each is known; a power of two */
#define DATAGRAM_SAMPLES 4096u        /**< samples that the engine may be behind; a power of two */
#define DATAGRAM_TAIL_NS 20000000000u /**< time for which a side goes on for the other's sake */
#define DATAGRAM_LATE_NS 1000000000u  /**< after the last one was sent: a datagram without an answer by then is lost */
#define DATAGRAM_QUIET_NS 100000000   /**< a waiting thread checks for the end this often */

/** The contents of a datagram, big-endian; the answer has the same length. */
typedef struct datagram {
    uint64_t token; /**< of the session, drawn at random */
    uint64_t number;
    uint64_t kind;
} datagram;

/** One of the last datagrams. */
typedef struct datagram_slot {
    uint64_t number; /**< and 1; 0: there was none */
    rts_ticks sent;
    bool done; /**< answered */
} datagram_slot;

typedef struct datagram_sample {
    rts_latency response;
    rts_latency other; /**< of the second series */
    rts_ticks at;
    bool stamped; /**< the second series has it, too */
} datagram_sample;

/** The counts of one side, from the first datagram to the last, with those of the warm-up and those for the other's sake. */
typedef struct datagram_account {
    uint64_t sent;     /**< of the stimulus */
    uint64_t received; /**< of the responder: each once */
    uint64_t answered; /**< of the responder: it answered them; of the stimulus: the answer came, each once */
    uint64_t lost;     /**< of the stimulus: no answer came */
    uint64_t late;     /**< of the stimulus: answered after the next one was sent */
    uint64_t duplicated;
    uint64_t reordered;       /**< came after a later one */
    uint64_t foreign;         /**< not of this session: ignored */
    uint64_t unstamped;       /**< without a stamp of the kernel */
    uint64_t stamps_in_doubt; /**< came within a second after the clock of the stamps was found set */
} datagram_account;

typedef struct datagram_side {
    int control;
    int data;
    uint32_t own;
    uint32_t other;
    uint64_t token;
    rts_ticks period;
    uint64_t seed; /**< of the stimulus' intervals */
    datagram_slot *slots;
    datagram_sample *samples;
    _Atomic uint32_t in;
    _Atomic uint32_t out;
    _Atomic uint32_t samples_dropped; /**< samples without room */
    _Atomic bool enough;              /**< the engine has its samples */
    _Atomic bool stop;                /**< at once */
    _Atomic bool ended;
    bool well;        /**< ended as it should; read once it has */
    uint64_t highest; /**< number of the latest datagram, and 1 */
    rts_stamps stamps;
    datagram_account account;
    datagram_account far; /**< the other side's, as reported by it */
} datagram_side;

/** The two threads: `arg` is a datagram_side. */
void datagram_respond(void *arg);
void datagram_stimulate(void *arg);

#endif
