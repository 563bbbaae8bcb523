/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What Linux reports of the IOC's process.
 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "health.h"

static double seconds(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

double health_cpu_s(void)
{
    struct rusage used;
    return getrusage(RUSAGE_SELF, &used) == 0 ? seconds(&used.ru_utime) + seconds(&used.ru_stime) : (double)NAN;
}

double health_memory_kb(void)
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

double health_open_files(void)
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

double health_most_files(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (double)limit.rlim_cur : (double)NAN;
}
