/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A thread of SCHED_DEADLINE, for a test of `rtstone attach`: NAME COUNT PERIOD_NS WORK_NS TENTH_NS. Once it has read a byte it works COUNT times, each
 * tenth time for TENTH_NS, and yields the rest of its budget, a quarter of a period, each time. Prints the number of periods that passed meanwhile.
 */
#include <linux/types.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define POLICY 6u /* SCHED_DEADLINE */

/* As linux/sched/types.h has it, which clashes with older headers of the C library. */
struct attributes {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime;
    uint64_t deadline;
    uint64_t period;
};

static uint64_t now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int main(int count, char *words[])
{
    char byte;
    if (count != 6) {
        return 2;
    }
    const uint64_t period = strtoull(words[3], NULL, 10);
    const uint64_t work = strtoull(words[4], NULL, 10);
    const uint64_t tenth = strtoull(words[5], NULL, 10);
    const struct attributes wanted = {
        .size = sizeof wanted, .policy = POLICY, .runtime = period / 4, .deadline = period, .period = period};
    (void)prctl(PR_SET_NAME, words[1]);
    if (read(STDIN_FILENO, &byte, 1) != 1 || syscall(SYS_sched_setattr, 0, &wanted, 0) != 0) {
        return 3;
    }
    const uint64_t begun = now();
    for (long i = 0; i < strtol(words[2], NULL, 10); i++) {
        const uint64_t until = now() + (i % 10 == 9 ? tenth : work);
        while (now() < until) {
        }
        (void)syscall(SYS_sched_yield);
    }
    (void)printf("%llu\n", (unsigned long long)((now() - begun) / period));
    return 0;
}
