/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Both clients as threads of one process, which share their account by its address: rtstone-threads PREFIX RECORDS BURSTS.
 *
 * As an engine does, it starts them, wants bursts, holds them and ends them; and then all of it again, in the same process. Each time the clients print
 * their figures as lines of JSON, and the account is a third line.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <epicsThread.h>

#include "../clients/channels.h"
#include "../clients/loopback.h"

#define PATIENCE_S 30.0

static rtstone_load_account account;
static atomic_int ended;
static char *prefix;
static char *records;

static void *run(const client_kind *kind)
{
    char named[] = "--prefix";
    char as_json[] = "--json";
    char *words[] = {NULL, named, prefix, as_json, records};
    client own = {.program = kind->program, .account = &account, .ended = &ended};
    int code = client_read(&own, (int)(sizeof words / sizeof words[0]), words, kind->usage);
    if (code < 0) {
        own.options.pause_s = 0.05;
        code = kind->run(&own);
    }
    return (void *)(intptr_t)code;
}

static void *monitor_run(void *unused)
{
    (void)unused;
    return run(&client_camonitor);
}

static void *put_run(void *unused)
{
    (void)unused;
    return run(&client_caput);
}

/** Ends the program if the number does not become as large. */
static void await(const char *what, uint64_t (*now)(void), uint64_t wanted)
{
    const double until = client_now() + PATIENCE_S;
    while (now() < wanted) {
        if (client_now() > until) {
            (void)fprintf(stderr, "rtstone-threads: %s has not come\n", what);
            exit(1);
        }
        epicsThreadSleep(1e-3);
    }
}

static uint64_t watching(void)
{
    return account.watching;
}

static uint64_t connected(void)
{
    return account.connected;
}

static uint64_t bursts(void)
{
    return account.bursts;
}

static uint64_t settled(void)
{
    return account.holding != 0 ? account.settled : 0;
}

static long end_of(pthread_t thread)
{
    void *code = NULL;
    (void)pthread_join(thread, &code);
    return (long)(intptr_t)code;
}

static void load(uint64_t wanted_bursts)
{
    pthread_t monitor;
    pthread_t put;
    account = (rtstone_load_account){0};
    ended = 0;
    if (pthread_create(&monitor, NULL, monitor_run, NULL) != 0) {
        exit(1);
    }
    await("the first monitors", watching, 1);
    if (pthread_create(&put, NULL, put_run, NULL) != 0) {
        exit(1);
    }
    await("caput", connected, 1);
    account.wanted = 1;
    await("a burst", bursts, wanted_bursts);
    account.wanted = 0;
    await("the end of a burst", settled, wanted_bursts);
    ended = 1;
    const long put_code = end_of(put);
    const long monitor_code = end_of(monitor);
    (void)printf("{\"codes\":[%ld,%ld],\"bursts\":%llu,\"puts\":%llu,\"failed\":%llu,\"monitors\":%llu,\"merged\":%llu,"
                 "\"settled\":%llu,\"lost\":%llu,\"cut\":%llu}\n",
                 put_code, monitor_code, (unsigned long long)account.bursts, (unsigned long long)account.puts,
                 (unsigned long long)account.failed, (unsigned long long)account.monitors,
                 (unsigned long long)account.merged, (unsigned long long)account.settled,
                 (unsigned long long)account.lost, (unsigned long long)account.cut);
    (void)fflush(stdout);
}

int main(int count, char *words[])
{
    if (count != 4) {
        return 2;
    }
    prefix = words[1];
    records = words[2];
    loopback_defaults();
    load(strtoull(words[3], NULL, 10));
    load(strtoull(words[3], NULL, 10));
    return 0;
}
