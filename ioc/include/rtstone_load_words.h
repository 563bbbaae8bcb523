/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the clients' part of a rtstone_load_account looks like in a record: an array of numbers, for clients that share no memory with the engine.
 *
 * Channel Access has no integers of 64 bits; doubles hold counts up to 2^53.
 */
#ifndef RTSTONE_LOAD_WORDS_H
#define RTSTONE_LOAD_WORDS_H

#include "rtstone_load_account.h"

/** The array's places. New ones come at the end: a record that is shorter or longer is another version's. */
enum rtstone_load_word {
    LOAD_WORD_RECORDS,
    LOAD_WORD_PAUSE_MS,
    LOAD_WORD_CONNECTED,
    LOAD_WORD_IN_BURST,
    LOAD_WORD_HOLDING,
    LOAD_WORD_BURSTS,
    LOAD_WORD_PUTS,
    LOAD_WORD_FAILED,
    LOAD_WORD_BURST_NS,
    LOAD_WORD_WATCHING,
    LOAD_WORD_MONITORS,
    LOAD_WORD_MERGED,
    LOAD_WORD_SETTLED,
    LOAD_WORD_LOST,
    LOAD_WORD_CUT,
    LOAD_WORD_MACHINE,
    LOAD_WORDS
};

static inline void load_words_from(double words[LOAD_WORDS], const rtstone_load_account *account)
{
    words[LOAD_WORD_RECORDS] = (double)account->records;
    words[LOAD_WORD_PAUSE_MS] = (double)account->pause_ms;
    words[LOAD_WORD_CONNECTED] = (double)account->connected;
    words[LOAD_WORD_IN_BURST] = (double)account->in_burst;
    words[LOAD_WORD_HOLDING] = (double)account->holding;
    words[LOAD_WORD_BURSTS] = (double)account->bursts;
    words[LOAD_WORD_PUTS] = (double)account->puts;
    words[LOAD_WORD_FAILED] = (double)account->failed;
    words[LOAD_WORD_BURST_NS] = (double)account->burst_ns;
    words[LOAD_WORD_WATCHING] = (double)account->watching;
    words[LOAD_WORD_MONITORS] = (double)account->monitors;
    words[LOAD_WORD_MERGED] = (double)account->merged;
    words[LOAD_WORD_SETTLED] = (double)account->settled;
    words[LOAD_WORD_LOST] = (double)account->lost;
    words[LOAD_WORD_CUT] = (double)account->cut;
    words[LOAD_WORD_MACHINE] = (double)account->machine;
}

/** Leaves the engine's field as it is. */
static inline void load_words_to(rtstone_load_account *account, const double words[LOAD_WORDS])
{
    account->records = (uint32_t)words[LOAD_WORD_RECORDS];
    account->pause_ms = (uint32_t)words[LOAD_WORD_PAUSE_MS];
    account->bursts = (uint64_t)words[LOAD_WORD_BURSTS];
    account->puts = (uint64_t)words[LOAD_WORD_PUTS];
    account->failed = (uint64_t)words[LOAD_WORD_FAILED];
    account->burst_ns = (uint64_t)words[LOAD_WORD_BURST_NS];
    account->monitors = (uint64_t)words[LOAD_WORD_MONITORS];
    account->merged = (uint64_t)words[LOAD_WORD_MERGED];
    account->lost = (uint64_t)words[LOAD_WORD_LOST];
    account->cut = (uint64_t)words[LOAD_WORD_CUT];
    account->machine = (uint64_t)words[LOAD_WORD_MACHINE];
    /* What others wait for comes last. */
    account->settled = (uint64_t)words[LOAD_WORD_SETTLED];
    account->in_burst = (uint32_t)words[LOAD_WORD_IN_BURST];
    account->holding = (uint32_t)words[LOAD_WORD_HOLDING];
    account->connected = (uint32_t)words[LOAD_WORD_CONNECTED];
    account->watching = (uint32_t)words[LOAD_WORD_WATCHING];
}

#endif
