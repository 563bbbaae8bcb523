/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The clients of an IOC out of its process, started by somebody else: out of the board, beside it on a live machine, or on another one. They follow a
 * record that says whether they are to burst, and write to another what they did. Nothing here can start or end them.
 */
#include "outside.h"

#include <inttypes.h>
#include <stdio.h>

#include "place.h"

rts_ioc_records rts_ioc_outside_records;

static char reason[RTS_LOAD_WHY_BYTES];

static bool has_told(const void *arg)
{
    const rtstone_load_account *const account = arg;
    return account->connected != 0 && account->watching != 0;
}

bool ioc_outside_failed(void)
{
    return false; /* whoever started them ends the run when they end */
}

rtstone_load_account *ioc_outside_start(uint32_t records, uint32_t pause_ms, const char **why)
{
    rtstone_load_account *const account = rts_ioc_outside_records.account;
    if (!ioc_place_until(ioc_outside_failed, has_told, account, 10000)) {
        *why = "none have come";
        return NULL;
    }
    if (account->records != records || account->pause_ms != pause_ms) {
        (void)snprintf(reason, sizeof reason,
                       "those that came burst %" PRIu32 " records every %" PRIu32 " ms, not %" PRIu32 " every %" PRIu32,
                       account->records, account->pause_ms, records, pause_ms);
        *why = reason;
        return NULL;
    }
    return account;
}

void ioc_outside_tell(void)
{
    rts_ioc_outside_records.tell();
}
