/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The clients of an IOC out of the board, started by the host: they follow a record that says whether they are to burst, and write to another what they
 * did. Nothing here can start or end them.
 */
#include "ioc_outside.h"

#include <stdio.h>

#include "ioc_place.h"

rts_ioc_records rts_ioc_outside_records;

static char reason[RTS_LOAD_WHY_BYTES];

static rts_status network(rts_cable *cable)
{
    return rts_ioc_outside_records.account == NULL ? RTS_UNSUPPORTED : rts_cable_init_outside(cable);
}

static bool has_told(const void *arg)
{
    const rtstone_load_account *const account = arg;
    return account->connected != 0 && account->watching != 0;
}

static bool failed(void)
{
    return false; /* the host ends the run when they end */
}

static rtstone_load_account *start(uint32_t records, uint32_t pause_ms, int32_t cpu, const char **why)
{
    rtstone_load_account *const account = rts_ioc_outside_records.account;
    (void)cpu;
    if (!ioc_place_until(&ioc_outside, has_told, account, 10000)) {
        *why = "none have come from outside of the board";
        return NULL;
    }
    if (account->records != records || account->pause_ms != pause_ms) {
        (void)snprintf(reason, sizeof reason,
                       "those outside of the board burst %u records every %u ms, not %u every %u", account->records,
                       account->pause_ms, records, pause_ms);
        *why = reason;
        return NULL;
    }
    return account;
}

static void tell(void)
{
    rts_ioc_outside_records.tell();
}

static void nothing(void) {}

const ioc_place ioc_outside = {
    .where = "by clients outside of the board, over a private link",
    .network = network,
    .start = start,
    .tell = tell,
    .rest = nothing,
    .failed = failed,
    .end = nothing,
};
