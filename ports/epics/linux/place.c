/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Linux beneath libCom.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "../place.h"

bool rts_place_realtime(void)
{
    int policy = SCHED_OTHER;
    struct sched_param param;
    return pthread_getschedparam(pthread_self(), &policy, &param) == 0 && policy == SCHED_FIFO;
}

void rts_place_ordinary(void)
{
    const struct sched_param none = {.sched_priority = 0};
    (void)pthread_setschedparam(pthread_self(), SCHED_OTHER, &none);
}

rts_status rts_place_pin(int32_t cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 ? RTS_OK : RTS_FAILED;
}

/** What the process was allowed when it began. */
static const cpu_set_t *allowed(void)
{
    static cpu_set_t set;
    static bool known;
    if (!known) {
        known = true;
        if (sched_getaffinity(getpid(), sizeof set, &set) != 0) {
            CPU_SET(0, &set);
        }
    }
    return &set;
}

uint32_t rts_place_cpu_count(void)
{
    return (uint32_t)CPU_COUNT(allowed());
}

rts_status rts_place_cpu(int32_t wanted, int32_t *actual)
{
    int32_t cpu = wanted;
    if (wanted == RTS_CPU_ANY) {
        for (cpu = CPU_SETSIZE - 1; cpu > 0 && !CPU_ISSET((size_t)cpu, allowed()); cpu--) {
        }
    }
    if (cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET((size_t)cpu, allowed())) {
        return RTS_INVALID;
    }
    *actual = cpu;
    return RTS_OK;
}

uint64_t rts_place_cpu_ns(void)
{
    struct timespec used;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) != 0) {
        return 0;
    }
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

bool rts_place_locked(void)
{
    FILE *const file = fopen("/proc/self/status", "re");
    unsigned long kb = 0;
    char line[128];
    while (file != NULL && kb == 0 && fgets(line, sizeof line, file) != NULL) {
        (void)sscanf(line, "VmLck: %lu", &kb); /* NOLINT(cert-err34-c): a number of the kernel's */
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return kb > 0;
}

void rts_place_die_with_parent(long parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (parent > 0 && getppid() != (pid_t)parent) {
        (void)raise(SIGKILL);
    }
}

void rts_place_describe(rts_fact_fn fact, void *arg)
{
    struct utsname names;
    if (uname(&names) >= 0) {
        fact(arg, "kernel.sysname", names.sysname);
        fact(arg, "kernel.release", names.release);
        fact(arg, "kernel.version", names.version);
        fact(arg, "kernel.machine", names.machine);
    }
}
