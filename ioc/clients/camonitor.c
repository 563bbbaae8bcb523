/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * rtstone-camonitor N: monitors each of N records until it is stopped, and counts the monitors that came, the values that were merged, and the
 * monitors that were lost.
 *
 * Channel Access promises the latest value, not every one: values that a slow client did not get are merged into the next. A monitor is lost when
 * the last value that came is older than the record's.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "channels.h"

static const char usage[] =
    "usage: rtstone-camonitor [N] [options]\n"
    "Monitors each of N records (5000) until it is stopped, and says what came. With rtstone-caput at work on them:\n"
    "merged: values that were replaced by a later one before they were sent, as Channel Access may; lost: records whose\n"
    "last monitor is older than the value that they have.\n"
    "  --duration S    end after S seconds\n"
    "  --prefix P      of the records' names; rtstone:load: unless said\n"
    "  --pairs         watch the second record of each pair, which the one that is written processes\n"
    "  --account FILE  tell the program that shares this file of what came\n"
    "  --remote        as caput's, which shares that file: look at it ten times as often\n"
    "  --with-parent   end when the program that started this one ends\n"
    "  --json          one JSON object at the end instead of a line a burst\n"
    "Exit codes: 0 none lost; 2 usage; 3 the records are not there; 4 monitors were lost.\n";

/** What the monitors of one record delivered. Written by libca's thread. */
typedef struct seen {
    long events;
    double value;
} seen;

#define FIRST_VALUES_S 10.0

typedef struct sums {
    long known;  /* records whose first value has come */
    long events; /* without each record's first, which carries the value at the time of connecting */
    long merged;
    long disorder; /* a value that is not above the one before: the counter began again */
    long disconnected;
    int closing; /* connections end because this client does */
    double first;
    double last;
} sums;

static sums all;

static rtstone_load_account *account; /* or NULL */

static void on_monitor(struct event_handler_args args)
{
    seen *const record = args.usr;
    if (args.status != ECA_NORMAL || args.dbr == NULL) {
        return;
    }
    const double value = *(const dbr_double_t *)args.dbr;
    if (record->events > 0) {
        const double step = value - record->value;
        const double now = client_now();
        if (all.events == 0) {
            all.first = now;
        }
        all.last = now;
        if (step > 1.0) {
            all.merged += (long)step - 1;
            if (account != NULL) {
                account->merged += (uint64_t)step - 1u;
            }
        } else if (step < 1.0) {
            all.disorder++;
        }
        (void)__atomic_add_fetch(&all.events, 1, __ATOMIC_RELEASE);
        if (account != NULL) {
            account->monitors++;
        }
    } else {
        (void)__atomic_add_fetch(&all.known, 1, __ATOMIC_RELEASE);
    }
    record->value = value;
    (void)__atomic_add_fetch(&record->events, 1, __ATOMIC_RELEASE);
}

/** libca reports a lost connection here, not to a monitor's function. */
static void on_connection(struct connection_handler_args args)
{
    if (args.op == CA_OP_CONN_DOWN && __atomic_load_n(&all.closing, __ATOMIC_ACQUIRE) == 0) {
        (void)__atomic_add_fetch(&all.disconnected, 1, __ATOMIC_RELEASE);
        if (account != NULL) {
            account->cut++;
        }
    }
}

/** Asks what all records have now. False when they do not answer. */
static bool read_all(const client *own, double *values)
{
    for (long i = 0; i < own->options.records; i++) {
        (void)ca_get(DBR_DOUBLE, own->channel[i], &values[i]);
    }
    return ca_pend_io(30.0) == ECA_NORMAL;
}

/**
 * Counts records whose last monitor is older than the value that they had two seconds after the end. Values count up, so a monitor that is newer than
 * that value was not lost: other clients may go on writing meanwhile. Where the counter began again, the values are read again. -1: no answer.
 */
static long count_lost(const client *own, seen *records, double *values)
{
    long lost = own->options.records;
    long disorder = -1;
    for (int patience = 0; patience < 10 && lost > 0; patience++) {
        if (patience > 0) {
            (void)ca_pend_event(0.2);
        }
        const long began_again = all.disorder;
        if (began_again != disorder && !read_all(own, values)) {
            return -1;
        }
        disorder = began_again;
        lost = 0;
        for (long i = 0; i < own->options.records; i++) {
            lost += __atomic_load_n(&records[i].events, __ATOMIC_ACQUIRE) == 0 || records[i].value < values[i];
        }
    }
    return lost;
}

static int subscribe(const client *own, seen *records)
{
    for (long i = 0; i < own->options.records; i++) {
        int status = ca_change_connection_event(own->channel[i], on_connection);
        if (status == ECA_NORMAL) {
            status = ca_create_subscription(DBR_DOUBLE, 1, own->channel[i], DBE_VALUE, on_monitor, &records[i], NULL);
        }
        if (status != ECA_NORMAL) {
            (void)fprintf(stderr, "rtstone-camonitor: %s: %s\n", ca_name(own->channel[i]), ca_message(status));
            return 0;
        }
    }
    (void)ca_flush_io();
    return 1;
}

/** While caput holds: how many records' last monitor is not what caput wrote last. They have two seconds to come. */
static void settle(const client *own, const seen *records)
{
    const uint64_t bursts = account->bursts;
    long lost = own->options.records;
    for (int patience = 0; patience < 200 && lost > 0; patience++) {
        if (patience > 0) {
            client_wait(own, client_now() + 0.01, INFINITY);
        }
        lost = 0;
        for (long i = 0; i < own->options.records; i++) {
            lost += records[i].value != (double)bursts;
        }
    }
    account->lost = (uint64_t)lost;
    account->settled = bursts;
}

/** Writes the account to the shared file until the deadline, or until a signal ends the program. */
static void follow_account(const client *own, const seen *records, double deadline)
{
    bool told = false;
    account->watching = 1;
    while (!client_is_over(own, deadline)) {
        const uint64_t bursts = account->bursts;
        if (!told && __atomic_load_n(&all.disconnected, __ATOMIC_ACQUIRE) >= own->options.records) {
            told = true;
            (void)fprintf(stderr, "all records are disconnected\n");
        }
        if (account->holding != 0 && bursts > 0 && account->settled != bursts) {
            settle(own, records);
        }
        client_wait(own, client_now() + (own->options.remote != 0 ? 0.002 : 0.02), deadline);
    }
}

/** Prints a line whenever monitors have come and then stopped coming. */
static void follow(const client *own, double deadline)
{
    long told = 0;
    long before = 0;
    while (!client_is_over(own, deadline)) {
        client_wait(own, client_now() + 0.25, deadline);
        const long now = __atomic_load_n(&all.events, __ATOMIC_ACQUIRE);
        if (now == before && now != told && own->options.json == 0) {
            (void)printf("%ld monitors, %ld in all, %ld merged\n", now - told, now, all.merged);
            (void)fflush(stdout);
            told = now;
        }
        before = now;
    }
}

static void tell(const client *own, long lost)
{
    const double busy_s = all.last - all.first;
    const double rate = busy_s > 0 ? (double)all.events / busy_s : 0;
    if (own->options.json != 0) {
        (void)printf(
            "{\"records\":%ld,\"connect_s\":%.6f,\"monitors\":%ld,\"merged\":%ld,\"restarted\":%ld,\"disconnected\":%ld,"
            "\"lost\":%ld,\"seconds\":%.6f,\"monitors_per_s\":%.1f}\n",
            own->options.records, own->connect_s, all.events, all.merged, all.disorder, all.disconnected, lost, busy_s,
            rate);
    } else {
        (void)printf("%ld monitors in %.3f s (%.0f/s from first to last), %ld merged, %ld disconnected, %ld lost\n",
                     all.events, busy_s, rate, all.merged, all.disconnected, lost);
    }
}

/** Follows all records until the end. Returns the exit code. */
static int watch(const client *own, seen *records, double *values)
{
    const double patience = client_now() + FIRST_VALUES_S;
    while (__atomic_load_n(&all.known, __ATOMIC_ACQUIRE) < own->options.records && !client_is_over(own, patience)) {
        (void)ca_pend_event(0.01);
    }
    /* Printed at once, and not with the figures: a client that puts from now on knows that all its values will be seen. */
    FILE *const told = own->options.json == 0 ? stdout : stderr;
    (void)fprintf(told, "%ld records connected in %.1f ms\n", own->options.records, own->connect_s * 1e3);
    (void)fflush(told);
    const double deadline = own->options.duration_s > 0 ? client_now() + own->options.duration_s : INFINITY;
    if (account != NULL) {
        follow_account(own, records, deadline);
    } else {
        follow(own, deadline);
    }
    const long lost = count_lost(own, records, values);
    tell(own, lost);
    if (lost < 0) {
        (void)fprintf(stderr, "rtstone-camonitor: the records cannot be read any more: is the IOC still running?\n");
        return 3;
    }
    return lost == 0 ? 0 : 4;
}

static int run(client *own)
{
    all = (sums){0};
    account = own->account;
    seen *const records = calloc((size_t)own->options.records, sizeof *records);
    double *const values = calloc((size_t)own->options.records, sizeof *values);
    const int watching = records != NULL && values != NULL &&
                         client_connect(own, own->options.pairs != 0 ? LOAD_MONITOR : LOAD_PUT) &&
                         subscribe(own, records);
    const int code = watching ? watch(own, records, values) : 3;
    __atomic_store_n(&all.closing, 1, __ATOMIC_RELEASE);
    client_close(own);
    free(values);
    free(records);
    return code;
}

const client_kind client_camonitor = {.program = "rtstone-camonitor", .usage = usage, .run = run};
