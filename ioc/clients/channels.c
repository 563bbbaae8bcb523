/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What both clients of the load share.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arguments.h"
#include "channels.h"

#define CONNECT_S 30.0

double client_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int client_is_over(const client *own, double deadline)
{
    return atomic_load(own->ended) != 0 || client_now() >= deadline;
}

void client_wait(const client *own, double until, double deadline)
{
    while (!client_is_over(own, deadline)) {
        const double left = until - client_now();
        if (left <= 0) {
            return;
        }
        (void)ca_pend_event(left < 0.1 ? left : 0.1);
    }
}

static int read_option(client *own, const char *option, const char *value)
{
    client_options *const options = &own->options;
    if (value == NULL) {
        (void)fprintf(stderr, "%s: %s needs a value\n", own->program, option);
        return 0;
    }
    if (strcmp(option, "--prefix") == 0) {
        if (!argument_prefix(own->program, value)) {
            return 0;
        }
        (void)snprintf(options->prefix, sizeof options->prefix, "%s", value);
        return 1;
    }
    if (strcmp(option, "--mark") == 0) {
        options->mark = value;
        return 1;
    }
    if (strcmp(option, "--account") == 0) {
        options->account = value;
        return 1;
    }
    if (strcmp(option, "--duration") == 0) {
        return argument_double(own->program, option, value, 0.1, 1e6, &options->duration_s);
    }
    if (strcmp(option, "--bursts") == 0) {
        return argument_long(own->program, option, value, 1, 1000000000, &options->bursts);
    }
    (void)fprintf(stderr, "%s: there is no option %s; --help lists them\n", own->program, option);
    return 0;
}

int client_read(client *own, int count, char *words[], const char *usage)
{
    int place = 0;
    client_options *const options = &own->options;
    options->records = 5000;
    options->pause_s = 5.0;
    (void)snprintf(options->prefix, sizeof options->prefix, "%s", LOAD_PREFIX);
    for (int i = 1; i < count; i++) {
        const char *const word = words[i];
        if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
            (void)fputs(usage, stdout);
            return 0;
        }
        if (strcmp(word, "--json") == 0) {
            options->json = 1;
        } else if (strcmp(word, "--pairs") == 0) {
            options->pairs = 1;
        } else if (strcmp(word, "--with-parent") == 0) {
            options->with_parent = 1;
        } else if (strcmp(word, "--remote") == 0) {
            options->remote = 1;
        } else if (strcmp(word, "--callback") == 0) {
            options->callback = 1;
        } else if (strncmp(word, "--", 2) == 0) {
            i++;
            if (!read_option(own, word, i < count ? words[i] : NULL)) {
                return 2;
            }
        } else if (place == 0) {
            place++;
            if (!argument_long(own->program, "N", word, 1, LOAD_RECORDS_MAX, &options->records)) {
                return 2;
            }
        } else if (place == 1) {
            place++;
            if (!argument_double(own->program, "PAUSE", word, 0, 86400, &options->pause_s)) {
                return 2;
            }
        } else {
            (void)fprintf(stderr, "%s: what is '%s'? --help lists what is understood\n", own->program, word);
            return 2;
        }
    }
    return -1;
}

static int not_found(const client *own)
{
    long missing = 0;
    const char *first = "";
    for (long i = 0; i < own->options.records; i++) {
        if (ca_state(own->channel[i]) != cs_conn) {
            first = missing == 0 ? ca_name(own->channel[i]) : first;
            missing++;
        }
    }
    (void)fprintf(
        stderr,
        "%s: %ld of %ld records are not to be found, the first is %s: is the IOC running, with a load of that size?\n",
        own->program, missing, own->options.records, first);
    return 0;
}

static int all_connected(const client *own)
{
    long i = 0;
    while (i < own->options.records && ca_state(own->channel[i]) == cs_conn) {
        i++;
    }
    return i == own->options.records;
}

int client_connect(client *own, const char *format)
{
    if (ca_context_create(ca_enable_preemptive_callback) != ECA_NORMAL) {
        (void)fprintf(stderr, "%s: Channel Access cannot be started\n", own->program);
        return 0;
    }
    own->channel = calloc((size_t)own->options.records, sizeof(chid));
    if (own->channel == NULL) {
        (void)fprintf(stderr, "%s: no memory\n", own->program);
        return 0;
    }
    const double from = client_now();
    for (long i = 0; i < own->options.records; i++) {
        char name[LOAD_PREFIX_SIZE + 32];
        (void)snprintf(name, sizeof name, format, own->options.prefix, i);
        const int status = ca_create_channel(name, NULL, NULL, CA_PRIORITY_DEFAULT, &own->channel[i]);
        if (status != ECA_NORMAL) {
            (void)fprintf(stderr, "%s: %s: %s\n", own->program, name, ca_message(status));
            return 0;
        }
    }
    (void)ca_flush_io();
    /* ca_pend_io forgets after its first timeout what it was waiting for. */
    while (!all_connected(own) && !client_is_over(own, from + CONNECT_S)) {
        (void)ca_pend_event(0.01);
    }
    own->connect_s = client_now() - from;
    return all_connected(own) || not_found(own);
}

void client_close(client *own)
{
    ca_context_destroy();
    free(own->channel);
    own->channel = NULL;
}
