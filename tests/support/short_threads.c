/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Threads that live briefly: `short_threads GROUPS THREADS SLEEPS NAME` waits for a byte, then starts GROUPS times THREADS of them, each of which sleeps
 * SLEEPS times for about 2 ms, and waits for their ends. They are called NAME; the first thread is not.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long sleeps;
static const char *name;

static void *live(void *nothing)
{
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = 2000000};
    (void)pthread_setname_np(pthread_self(), name);
    for (long i = 0; i < sleeps; i++) {
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
    }
    return nothing;
}

int main(int count, char **words)
{
    static pthread_t threads[256];
    char byte;
    if (count != 5) {
        return 2;
    }
    const long groups = strtol(words[1], NULL, 10);
    const long of_one = strtol(words[2], NULL, 10);
    sleeps = strtol(words[3], NULL, 10);
    name = words[4];
    if (of_one > 256 || read(0, &byte, 1) != 1) {
        return 2;
    }
    for (long group = 0; group < groups; group++) {
        for (long i = 0; i < of_one; i++) {
            if (pthread_create(&threads[i], NULL, live, NULL) != 0) {
                return 3;
            }
        }
        for (long i = 0; i < of_one; i++) {
            (void)pthread_join(threads[i], NULL);
        }
        const struct timespec pause = {.tv_sec = 0, .tv_nsec = 100000000};
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    }
    return 0;
}
