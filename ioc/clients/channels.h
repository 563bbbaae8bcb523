/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The two clients of the load, as functions that a program (program.c) or a thread runs, and what both share: their options, their channels, the
 * time, when to end.
 */
#ifndef RTSTONE_IOC_CHANNELS_H
#define RTSTONE_IOC_CHANNELS_H

#include <stdatomic.h>

#include <cadef.h>

#include "load_names.h"
#include "rtstone_load_account.h"

typedef struct client_options {
    long records;
    double pause_s;
    double duration_s; /**< 0: until it is stopped */
    long bursts;       /**< 0: until it is stopped */
    int callback;
    int json;
    int pairs;       /**< records come in pairs: the second is monitored */
    int with_parent; /**< for a program: it ends with the one that started it */
    int remote; /**< the account is also written to a record of the IOC; another record shows when a burst is due */
    char prefix[LOAD_PREFIX_SIZE];
    const char *mark;    /**< a record that is 1 during a burst, or NULL */
    const char *account; /**< for a program: a file that holds a rtstone_load_account, or NULL */
} client_options;

typedef struct client {
    const char *program;
    client_options options;
    chid *channel;
    rtstone_load_account *account; /**< shared with whoever started this; NULL: nobody */
    uint64_t machine;              /**< for the account: whose kernel this runs on (boot_number.h); 0: not known */
    const atomic_int *ended;       /**< set by whoever started this: it is to end */
    double connect_s;              /**< time that it took to connect all channels */
} client;

/** A client. One of each kind at a time runs in a process. */
typedef struct client_kind {
    const char *program;
    const char *usage;
    int (*run)(client *own); /**< with options read; until it is over. Returns the exit code */
} client_kind;

extern const client_kind client_caput;
extern const client_kind client_camonitor;

/** Reads the command line. Returns -1, or the exit code to end with. */
int client_read(client *own, int count, char *words[], const char *usage);

/** Connects all channels named by `format`, in a context of the calling thread. Says what is wrong and returns 0 when it cannot. */
int client_connect(client *own, const char *format);

/** Ends what client_connect began, also if it failed. */
void client_close(client *own);

/** True when it is to end, or `deadline` (of client_now) has passed. */
int client_is_over(const client *own, double deadline);

/** Lets libca work until the time comes or it is over. */
void client_wait(const client *own, double until, double deadline);

/** CLOCK_MONOTONIC in seconds. */
double client_now(void);

#endif
