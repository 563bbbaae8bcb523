/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What both clients of the load share: their options, their channels, the time, when to end.
 */
#ifndef RTSTONE_IOC_CHANNELS_H
#define RTSTONE_IOC_CHANNELS_H

#include <cadef.h>

#include "rtstone_load_account.h"
#include "load_names.h"

typedef struct client_options {
    long records;
    double pause_s;
    double duration_s; /**< 0: until it is stopped */
    long bursts;       /**< 0: until it is stopped */
    int callback;
    int json;
    int pairs;  /**< records come in pairs: the second is monitored */
    int remote; /**< the account is also written to a record of the IOC; another record shows when a burst is due */
    char prefix[LOAD_PREFIX_SIZE];
    const char *mark;    /**< a record that is 1 during a burst, or NULL */
    const char *account; /**< a file that holds a rtstone_load_account, or NULL */
} client_options;

typedef struct client {
    const char *program;
    client_options options;
    chid *channel;
    rtstone_load_account *account; /**< shared with whoever started this; NULL: nobody */
    double connect_s;              /**< time that it took to connect all channels */
} client;

/** Reads the command line. Returns -1, or the exit code to end with. */
int client_read(client *own, int count, char *words[], const char *usage);

/** Connects all channels named by `format`. Says what is wrong and returns 0 when it cannot. */
int client_connect(client *own, const char *format);

/** True when SIGINT or SIGTERM came, or `deadline` (of client_now) has passed. */
int client_is_over(double deadline);

/** Lets libca work until the time comes or it is over. */
void client_wait(double until, double deadline);

/** CLOCK_MONOTONIC in seconds. */
double client_now(void);

#endif
