/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Noise for a host: works for 0.1 to 3 ms and sleeps for up to 1.5 ms, until its parent is gone. A program that only spins disturbs less.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long worked_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (long)now.tv_sec * 1000000000L + now.tv_nsec;
}

int main(void)
{
    const pid_t parent = getppid();
    srand((unsigned)getpid());
    while (getppid() == parent) {
        const long end = worked_ns() + 100000 + rand() % 2900000;
        while (worked_ns() < end) {
        }
        (void)usleep((unsigned)(rand() % 1500));
    }
}
