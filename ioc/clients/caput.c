/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * rtstone-caput N PAUSE: writes a counter to each of N records, pauses, and does it again until it is stopped.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "channels.h"
#include "remote.h"

static const char usage[] =
    "usage: rtstone-caput [N [PAUSE]] [options]\n"
    "Writes a counter to each of N records (5000), pauses PAUSE seconds (5), and does it again until it is stopped.\n"
    "  --bursts B      end after B bursts\n"
    "  --duration S    end after S seconds\n"
    "  --callback      wait for each put's confirmation, which comes when all that it processes has been processed\n"
    "  --prefix P      of the records' names; rtstone:load: unless said\n"
    "  --mark RECORD   a record that is set to 1 at the beginning of each burst and to 0 at its end\n"
    "  --account FILE  burst only while the program that shares this file wants it, and tell it of each\n"
    "  --remote        burst whenever the IOC's record <P>asked says so, and tell its record <P>account; with --account\n"
    "  --with-parent   end when the program that started this one ends\n"
    "  --json          one JSON object at the end instead of a line a burst\n"
    "Exit codes: 0 done; 2 usage; 3 the records are not there, or a put failed.\n";

/** How long the server may take for a burst. */
#define SETTLE_S 30.0
/** How soon it is seen that a burst is due by the clock of a remote IOC. */
#define REMOTE_LOOK_S 0.002

typedef struct totals {
    long bursts;
    long puts;
    long failed;
    double busy_s;
    double fastest_s;
    double slowest_s;
} totals;

static long confirmed;
static long refused;

static void on_put(struct event_handler_args args)
{
    (void)__atomic_add_fetch(args.status == ECA_NORMAL ? &confirmed : &refused, 1, __ATOMIC_RELEASE);
}

static void mark(const chid *channel, int value)
{
    if (*channel != NULL) {
        const dbr_enum_t state = (dbr_enum_t)value;
        (void)ca_put(DBR_ENUM, *channel, &state);
    }
}

/** Waits until the server has done all that was sent: it answers one circuit's requests in their order. */
static int settle(const client *own, long puts, double deadline)
{
    dbr_long_t last = 0;
    (void)ca_flush_io();
    if (own->options.callback != 0) {
        const double patience = client_now() + SETTLE_S;
        long answered = 0;
        while ((answered = __atomic_load_n(&confirmed, __ATOMIC_ACQUIRE) +
                           __atomic_load_n(&refused, __ATOMIC_ACQUIRE)) < puts &&
               !client_is_over(own, deadline) && client_now() < patience) {
            (void)ca_pend_event(0.0005);
        }
        if (answered < puts && !client_is_over(own, deadline)) {
            (void)fprintf(stderr, "rtstone-caput: %ld of %ld puts are not confirmed after %.0f s\n", puts - answered,
                          puts, SETTLE_S);
            return 0;
        }
        return __atomic_load_n(&refused, __ATOMIC_ACQUIRE) == 0;
    }
    (void)ca_get(DBR_LONG, own->channel[own->options.records - 1], &last);
    return ca_pend_io(SETTLE_S) == ECA_NORMAL;
}

/** Waits until a burst is due by the IOC's clock. */
static void hold_for_remote(const client *own, double deadline)
{
    own->account->holding = 1;
    do {
        remote_tell(own); /* of the monitors that have come meanwhile, too */
        client_wait(own, client_now() + REMOTE_LOOK_S, deadline);
    } while (!remote_asks(own) && !client_is_over(own, deadline));
    own->account->holding = 0;
}

/** Waits until bursts are wanted by the program that this one shares an account with. */
static void hold(const client *own, double deadline)
{
    rtstone_load_account *const account = own->account;
    if (account != NULL && own->options.remote != 0) {
        hold_for_remote(own, deadline);
        return;
    }
    if (account == NULL || account->wanted != 0) {
        return;
    }
    account->holding = 1;
    while (account->wanted == 0 && !client_is_over(own, deadline)) {
        client_wait(own, client_now() + 0.01, deadline);
    }
    account->holding = 0;
    /* Whoever wants bursts sees one from its beginning. */
    client_wait(own, client_now() + fmin(own->options.pause_s, 0.05), deadline);
}

/** The pause, which ends early when no more bursts are wanted. */
static void rest(const client *own, double deadline)
{
    const double until = client_now() + own->options.pause_s;
    while (client_now() < until && !client_is_over(own, deadline) &&
           (own->account == NULL || own->account->wanted != 0)) {
        client_wait(own, own->account == NULL ? until : fmin(until, client_now() + 0.02), deadline);
    }
}

static void account_for(const client *own, long puts, long failed, double took_s)
{
    rtstone_load_account *const account = own->account;
    if (account != NULL) {
        account->puts += (uint64_t)puts;
        account->failed += (uint64_t)failed;
        account->burst_ns += (uint64_t)(took_s * 1e9);
        account->bursts++;
        account->in_burst = 0;
    }
}

static int burst(const client *own, dbr_long_t value, const chid *marked, totals *all, double deadline)
{
    if (own->account != NULL) {
        own->account->in_burst = 1;
        remote_tell(own);
    }
    confirmed = 0;
    refused = 0;
    mark(marked, 1);
    const double from = client_now();
    long failed = 0;
    for (long i = 0; i < own->options.records; i++) {
        const int status = own->options.callback != 0 ? ca_put_callback(DBR_LONG, own->channel[i], &value, on_put, NULL)
                                                      : ca_put(DBR_LONG, own->channel[i], &value);
        failed += status == ECA_NORMAL ? 0 : 1;
    }
    const int settled = settle(own, own->options.records - failed, deadline);
    const double took_s = client_now() - from;
    mark(marked, 0);
    (void)ca_flush_io();
    account_for(own, own->options.records, failed + refused + (settled ? 0 : 1), took_s);
    remote_tell(own);
    all->bursts++;
    all->puts += own->options.records;
    all->failed += failed + refused + (settled ? 0 : 1);
    all->busy_s += took_s;
    all->fastest_s = fmin(all->fastest_s, took_s);
    all->slowest_s = fmax(all->slowest_s, took_s);
    if (own->options.json == 0) {
        (void)printf("burst %ld: %ld puts in %.1f ms, %.0f puts/s%s\n", all->bursts, own->options.records, took_s * 1e3,
                     (double)own->options.records / took_s, failed != 0 || !settled ? ", with errors" : "");
        (void)fflush(stdout);
    }
    return settled && failed == 0;
}

static void tell(const client *own, const totals *all, double elapsed_s)
{
    const double rate = all->busy_s > 0 ? (double)all->puts / all->busy_s : 0;
    if (own->options.json != 0) {
        (void)printf(
            "{\"records\":%ld,\"pause_s\":%.17g,\"callback\":%s,\"connect_s\":%.6f,\"bursts\":%ld,\"puts\":%ld,\"failed\":%ld,"
            "\"elapsed_s\":%.6f,\"busy_s\":%.6f,\"fastest_s\":%.6f,\"slowest_s\":%.6f,\"puts_per_s\":%.1f}\n",
            own->options.records, own->options.pause_s, own->options.callback != 0 ? "true" : "false", own->connect_s,
            all->bursts, all->puts, all->failed, elapsed_s, all->busy_s, all->bursts > 0 ? all->fastest_s : 0,
            all->slowest_s, rate);
    } else {
        (void)printf("%ld bursts, %ld puts, %ld failed; %.0f puts/s within bursts, which took %.2f %% of the time\n",
                     all->bursts, all->puts, all->failed, rate, elapsed_s > 0 ? 100 * all->busy_s / elapsed_s : 0);
    }
}

/** Bursts until it is over. Returns the exit code. */
static int work(client *own)
{
    chid marked = NULL;
    if (own->options.mark != NULL &&
        (ca_create_channel(own->options.mark, NULL, NULL, CA_PRIORITY_DEFAULT, &marked) != ECA_NORMAL ||
         ca_pend_io(5.0) != ECA_NORMAL)) {
        (void)fprintf(stderr, "rtstone-caput: the record %s is not to be found\n", own->options.mark);
        return 3;
    }
    if (own->options.json == 0) {
        (void)printf("%ld records connected in %.1f ms\n", own->options.records, own->connect_s * 1e3);
    }
    if (own->account != NULL) {
        own->account->records = (uint32_t)own->options.records;
        own->account->pause_ms = (uint32_t)(own->options.pause_s * 1e3 + 0.5);
        own->account->machine = own->machine;
        own->account->connected = 1;
    }
    totals all = {.fastest_s = INFINITY};
    const double from = client_now();
    const double deadline = own->options.duration_s > 0 ? from + own->options.duration_s : INFINITY;
    int sound = 1;
    for (dbr_long_t value = 1; sound && !client_is_over(own, deadline); value++) {
        hold(own, deadline);
        if (client_is_over(own, deadline)) {
            break;
        }
        sound = burst(own, value, &marked, &all, deadline);
        if (own->options.bursts > 0 && all.bursts == own->options.bursts) {
            break;
        }
        rest(own, deadline);
    }
    tell(own, &all, client_now() - from);
    if (!sound) {
        (void)fprintf(stderr,
                      "rtstone-caput: puts failed: is the IOC still running, and does it let this machine write?\n");
    }
    return sound ? 0 : 3;
}

static int run(client *own)
{
    if (own->options.remote != 0 && own->account == NULL) {
        (void)fprintf(stderr, "rtstone-caput: --remote needs --account\n");
        return 2;
    }
    const int connected = client_connect(own, LOAD_PUT) && (own->options.remote == 0 || remote_begin(own));
    const int code = connected ? work(own) : 3;
    client_close(own);
    return code;
}

const client_kind client_caput = {.program = "rtstone-caput", .usage = usage, .run = run};
