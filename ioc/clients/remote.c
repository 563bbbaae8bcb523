/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reports the account by Channel Access, on the circuit of the puts, so that it arrives between them.
 */
#include "remote.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "rtstone_load_words.h"

#define FIND_S 30.0

static chid account_channel;
static double told[LOAD_WORDS];
static _Atomic dbr_long_t asked;

static void on_asked(struct event_handler_args args)
{
    if (args.status == ECA_NORMAL && args.dbr != NULL) {
        asked = *(const dbr_long_t *)args.dbr;
    }
}

int remote_asks(const client *own)
{
    return (uint64_t)asked > own->account->bursts;
}

static chid find(const client *own, const char *name)
{
    char whole[LOAD_PREFIX_SIZE + 16];
    chid found = NULL;
    (void)snprintf(whole, sizeof whole, "%s%s", own->options.prefix, name);
    if (ca_create_channel(whole, NULL, NULL, CA_PRIORITY_DEFAULT, &found) != ECA_NORMAL ||
        ca_pend_io(FIND_S) != ECA_NORMAL) {
        (void)fprintf(stderr, "%s: the record %s is not to be found: is it the IOC of a board?\n", own->program, whole);
        return NULL;
    }
    return found;
}

int remote_begin(client *own)
{
    chid due = find(own, "asked");
    account_channel = due == NULL ? NULL : find(own, "account");
    if (account_channel == NULL) {
        return 0;
    }
    if (ca_create_subscription(DBR_LONG, 1, due, DBE_VALUE, on_asked, NULL, NULL) != ECA_NORMAL) {
        (void)fprintf(stderr, "%s: %s cannot be followed\n", own->program, ca_name(due));
        return 0;
    }
    (void)ca_flush_io();
    return 1;
}

void remote_tell(const client *own)
{
    double now[LOAD_WORDS];
    bool changed = false;
    if (account_channel == NULL) {
        return;
    }
    load_words_from(now, own->account);
    for (int i = 0; i < LOAD_WORDS; i++) {
        changed = changed || now[i] != told[i];
    }
    if (changed && ca_array_put(DBR_DOUBLE, LOAD_WORDS, account_channel, now) == ECA_NORMAL) {
        memcpy(told, now, sizeof told);
        (void)ca_flush_io();
    }
}
