/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Device support of two records for clients outside of the board. From one they read when to burst; to the other they report what they did.
 *
 * The board's clock, not the clients', determines when bursts are due and how long they take. A client's puts of one circuit are processed in their
 * order, so a burst is known to have begun before its first put is processed, and to be over after its last.
 */
#include <string.h>

#include <callback.h>
#include <dbAccess.h>
#include <dbScan.h>
#include <devSup.h>
#include <epicsMutex.h>
#include <epicsTime.h>
#include <errlog.h>

#include <longinRecord.h>
#include <waveformRecord.h>

#include <epicsExport.h>

#include "../load/outside.h"
#include "rtstone_load_words.h"

#define SOON_S 0.05 /* until the first burst of those that are wanted: whoever wants them sees one from its beginning */

static rtstone_load_account account;
static IOSCANPVT asked_changed;
static CALLBACK due;
static epicsMutexId lock;
/* Under the lock: */
static uint64_t asked;          /* bursts, in all */
static uint64_t burst_began_ns; /* 0: none is under way */
static uint64_t bursts_ns;      /* of all that are over */
static uint32_t client_holds;   /* the client waits to be asked */
static uint32_t pause_to_come;  /* a burst has been done since bursts were wanted */
static int waiting;             /* for a burst to become due */

/** Whether all bursts that were asked for are done, and all monitors of them counted. */
static int all_done(void)
{
    return client_holds != 0 && account.bursts == asked && (asked == 0 || account.settled == asked);
}

/** Has the next burst become due in a while, if one is wanted and none is under way. */
static void arrange(void)
{
    if (account.wanted != 0 && waiting == 0 && all_done()) {
        waiting = 1;
        callbackRequestDelayed(&due, pause_to_come != 0 ? account.pause_ms * 1e-3 : SOON_S);
    }
    account.holding = account.wanted == 0 && waiting == 0 && all_done();
}

static void on_due(CALLBACK *unused)
{
    (void)unused;
    epicsMutexMustLock(lock);
    waiting = 0;
    if (account.wanted != 0) {
        asked++;
        pause_to_come = 1;
    }
    arrange();
    epicsMutexUnlock(lock);
    scanIoRequest(asked_changed);
}

/** Called by the engine when it has changed `wanted`. */
static void tell(void)
{
    epicsMutexMustLock(lock);
    if (account.wanted == 0 && waiting != 0) {
        callbackCancelDelayed(&due);
        waiting = 0;
    }
    pause_to_come = 0;
    arrange();
    epicsMutexUnlock(lock);
}

static long asked_begin(int after)
{
    if (after == 0) {
        lock = epicsMutexMustCreate();
        scanIoInit(&asked_changed);
        callbackSetCallback(on_due, &due);
        callbackSetPriority(priorityMedium, &due);
        rts_ioc_outside_records = (rts_ioc_records){.account = &account, .tell = tell};
    }
    return 0;
}

static long asked_changes(int command, dbCommon *record, IOSCANPVT *list)
{
    (void)command;
    (void)record;
    *list = asked_changed;
    return 0;
}

static long asked_read(longinRecord *record)
{
    epicsMutexMustLock(lock);
    record->val = (epicsInt32)asked;
    epicsMutexUnlock(lock);
    record->udf = FALSE;
    return 0;
}

static long account_init(dbCommon *record)
{
    const waveformRecord *const own = (const waveformRecord *)record;
    if (own->ftvl != DBF_DOUBLE || own->nelm != LOAD_WORDS) {
        errlogPrintf("%s: it must hold %d DOUBLE\n", record->name, (int)LOAD_WORDS);
        record->pact = TRUE; /* never processed */
        return S_db_badField;
    }
    return 0;
}

/** Times bursts by the client's reports at the beginning and at the end of each. */
static void time_bursts(int in_burst)
{
    const uint64_t now_ns = epicsMonotonicGet();
    if (in_burst && burst_began_ns == 0) {
        burst_began_ns = now_ns;
    } else if (!in_burst && burst_began_ns != 0) {
        bursts_ns += now_ns - burst_began_ns;
        burst_began_ns = 0;
    }
}

/** Processed when a client has written it. */
static long account_read(waveformRecord *record)
{
    double words[LOAD_WORDS];
    if (record->nord != LOAD_WORDS) {
        return 0;
    }
    memcpy(words, record->bptr, sizeof words);
    epicsMutexMustLock(lock);
    client_holds = words[LOAD_WORD_HOLDING] != 0;
    time_bursts(words[LOAD_WORD_IN_BURST] != 0);
    words[LOAD_WORD_BURST_NS] = (double)bursts_ns;
    words[LOAD_WORD_HOLDING] = account.holding; /* which is said to the engine below */
    load_words_to(&account, words);
    arrange();
    epicsMutexUnlock(lock);
    return 0;
}

static longindset devLoadAsked = {{5, NULL, asked_begin, NULL, asked_changes}, asked_read};
static wfdset devLoadAccount = {{5, NULL, NULL, account_init, NULL}, account_read};
epicsExportAddress(dset, devLoadAsked);
epicsExportAddress(dset, devLoadAccount);
