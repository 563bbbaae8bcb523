/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "describe.h"

#include <stdio.h>

#include <dbAccess.h>
#include <dbStaticLib.h>
#include <epicsVersion.h>

#include "../support/standing.h"
#include "parties.h"

static long count_records(void)
{
    DBENTRY entry;
    long count = 0;
    dbInitEntry(pdbbase, &entry);
    for (long type = dbFirstRecordType(&entry); type == 0; type = dbNextRecordType(&entry)) {
        count += dbGetNRecords(&entry);
    }
    dbFinishEntry(&entry);
    return count;
}

void ioc_describe(rts_fact_fn fact, void *arg)
{
    char text[32];
    fact(arg, "ioc.base", EPICS_VERSION_FULL);
    (void)snprintf(text, sizeof text, "%ld", count_records());
    fact(arg, "ioc.records", text);
    const long locked_kb = standing_locked_kb();
    if (locked_kb >= 0) {
        (void)snprintf(text, sizeof text, "%ld", locked_kb);
        fact(arg, "ioc.locked_kb", text);
    }
    parties_describe(fact, arg);
}
