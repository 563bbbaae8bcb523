/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads the posix port's ordered clock and clock_gettime(CLOCK_MONOTONIC), by turns, and prints what one reading costs with each.
 *
 * The least of many rounds is taken of each: what disturbs a round only ever makes it slower.
 */
#include <stdio.h>
#include <time.h>

#include "rtstone/port.h"

#include "posix.h"

#define READS 20000
#define ROUNDS 400

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double round_of_ours(rts_ticks *sum)
{
    const double start = now_ns();
    for (size_t i = 0; i < READS; i++) {
        *sum += rts_clock_read();
    }
    return (now_ns() - start) / READS;
}

static double round_of_theirs(rts_ticks *sum)
{
    const double start = now_ns();
    for (size_t i = 0; i < READS; i++) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        *sum += (rts_ticks)now.tv_nsec;
    }
    return (now_ns() - start) / READS;
}

int main(void)
{
    rts_clock_info info;
    rts_ticks sum = 0; /* printed, so that no reading can be left out */
    double ours = 1e9;
    double theirs = 1e9;
    rts_posix_clock_init();
    if (rts_port_clock_info(&info) != RTS_OK) {
        fputs("the frequency of the clock is not known\n", stderr);
        return 3;
    }
    for (int i = 0; i < ROUNDS; i++) {
        const double mine = round_of_ours(&sum);
        const double other = round_of_theirs(&sum);
        ours = mine < ours ? mine : ours;
        theirs = other < theirs ? other : theirs;
    }
    printf("%.3f %.3f %s %llu\n", ours, theirs, info.name, (unsigned long long)(sum & 1u));
    return 0;
}
