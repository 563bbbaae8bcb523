/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads the posix port's ordered clock and clock_gettime(CLOCK_MONOTONIC), interleaved, and prints the cost of one reading by each, a line a round.
 *
 * Usage: bench_clock ROUNDS. A round is short, so that many of them pass undisturbed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "rtstone/port.h"

#include "posix.h"

#define READS 1000

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double round_of_ours(rts_ticks *total)
{
    rts_ticks sum = 0;
    const double start = now_ns();
    for (size_t i = 0; i < READS; i++) {
        sum += rts_clock_read();
    }
    const double spent = (now_ns() - start) / READS;
    *total += sum;
    return spent;
}

static double round_of_theirs(rts_ticks *total)
{
    rts_ticks sum = 0;
    const double start = now_ns();
    for (size_t i = 0; i < READS; i++) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        sum += (rts_ticks)now.tv_nsec;
    }
    const double spent = (now_ns() - start) / READS;
    *total += sum;
    return spent;
}

int main(int argc, char **argv)
{
    rts_clock_info info;
    rts_ticks total = 0; /* in the exit's way, so that no reading can be left out */
    const long rounds = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
    rts_posix_clock_init();
    if (rts_port_clock_info(&info) != RTS_OK) {
        fputs("the frequency of the clock is not known\n", stderr);
        return 3;
    }
    for (long i = 0; i < rounds; i++) {
        const double mine = round_of_ours(&total);
        const double other = round_of_theirs(&total);
        printf("%.4f %.4f\n", mine, other);
    }
    return total == 0 ? 3 : 0;
}
