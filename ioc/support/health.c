/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How the IOC's process is doing: of the kernel, and of the Channel Access server.
 */
#include "health.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include <epicsMutex.h>
#include <epicsThread.h>
#include <epicsTime.h>
#include <rsrv.h>

#define HEALTH_SHORTEST_S 0.1 /* a share of less time says nothing: the last one stands */

/* The process is one, its ports and their locks may be many. */
static epicsMutexId lock;

static void make_lock(void *unused)
{
    (void)unused;
    lock = epicsMutexMustCreate();
}

static double seconds(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

/** With the lock held. */
static double cpu_percent(void)
{
    static double used_before_s;
    static double at_before_s;
    static double percent;
    struct rusage used;
    const double now_s = (double)epicsMonotonicGet() * 1e-9;
    if (getrusage(RUSAGE_SELF, &used) == 0 && now_s - at_before_s > HEALTH_SHORTEST_S) {
        const double used_s = seconds(&used.ru_utime) + seconds(&used.ru_stime);
        percent = at_before_s > 0 ? 100.0 * (used_s - used_before_s) / (now_s - at_before_s) : 0.0;
        used_before_s = used_s;
        at_before_s = now_s;
    }
    return percent;
}

/** Resident memory of the process, in kB; NaN if the kernel does not report it. */
static double memory_kb(void)
{
    FILE *const file = fopen("/proc/self/statm", "re");
    long all = 0;
    long resident = 0;
    const int found =
        file == NULL ? 0 : fscanf(file, "%ld %ld", &all, &resident); /* NOLINT(cert-err34-c): the kernel's */
    if (file != NULL) {
        (void)fclose(file);
    }
    return found == 2 ? (double)resident * (double)sysconf(_SC_PAGESIZE) / 1024.0 : (double)NAN;
}

static double open_files(void)
{
    DIR *const folder = opendir("/proc/self/fd");
    double count = -3.0; /* itself, and the two that every folder has */
    while (folder != NULL && readdir(folder) != NULL) {
        count++;
    }
    if (folder == NULL) {
        return (double)NAN;
    }
    (void)closedir(folder);
    return count;
}

static double most_files(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (double)limit.rlim_cur : (double)NAN;
}

static double served(sampler_reason reason)
{
    unsigned channels = 0;
    unsigned clients = 0;
    casStatsFetch(&channels, &clients);
    return reason == REASON_CLIENTS ? clients : channels;
}

/** Since the process asked first, which its first record does. With the lock held. */
static double uptime_s(void)
{
    static epicsUInt64 began_ns;
    const epicsUInt64 now_ns = epicsMonotonicGet();
    if (began_ns == 0) {
        began_ns = now_ns;
    }
    return (double)(now_ns - began_ns) * 1e-9;
}

sampler_status health_read(sampler_reason reason, double *value)
{
    static epicsThreadOnceId once = EPICS_THREAD_ONCE_INIT;
    epicsThreadOnce(&once, make_lock, NULL);
    epicsMutexMustLock(lock);
    sampler_status status = SAMPLER_OK;
    switch (reason) {
    case REASON_UPTIME:
        *value = uptime_s();
        break;
    case REASON_CPU:
        *value = cpu_percent();
        break;
    case REASON_MEMORY:
        *value = memory_kb();
        break;
    case REASON_FILES:
        *value = open_files();
        break;
    case REASON_FILES_MOST:
        *value = most_files();
        break;
    case REASON_CLIENTS:
    case REASON_CHANNELS:
        *value = served(reason);
        break;
    default:
        status = SAMPLER_INVALID;
        break;
    }
    epicsMutexUnlock(lock);
    return status == SAMPLER_OK && isnan(*value) ? SAMPLER_NO_VALUE : status;
}
