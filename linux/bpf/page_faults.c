/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lets BPF programs see page faults by events of perf, since not every architecture has tracepoints of them.
 */
#include "page_faults.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EVENTS 3u /* a CPU */

static int *faults; /* descriptors, EVENTS a CPU. NULL: none at all */
static size_t count;

/** Attaches a program to a software event of perf on one CPU. Returns a descriptor; -1 and errno on failure. */
static int attach_event(int program, uint64_t event, int cpu)
{
    struct perf_event_attr words;
    memset(&words, 0, sizeof words);
    words.type = PERF_TYPE_SOFTWARE;
    words.size = sizeof words;
    words.config = event;
    words.sample_period = 1;
    words.disabled = 1;
    const int made = (int)syscall(SYS_perf_event_open, &words, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (made >= 0 &&
        (ioctl(made, PERF_EVENT_IOC_SET_BPF, program) != 0 || ioctl(made, PERF_EVENT_IOC_ENABLE, 0) != 0)) {
        const int error = errno;
        (void)close(made);
        errno = error;
        return -1;
    }
    return made;
}

void rts_page_faults_detach(void)
{
    for (size_t i = 0; i < count; i++) {
        if (faults[i] > 0) {
            (void)close(faults[i]);
        }
    }
    free(faults);
    faults = NULL;
    count = 0;
}

bool rts_page_faults_attach(int before, int after, uint32_t cpus)
{
    const struct {
        int program;
        uint64_t event;
    } events[EVENTS] = {
        {before, PERF_COUNT_SW_PAGE_FAULTS},
        {after, PERF_COUNT_SW_PAGE_FAULTS_MIN},
        {after, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    };
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max; /* a descriptor each */
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    faults = calloc(EVENTS * (size_t)cpus, sizeof *faults);
    count = faults != NULL ? EVENTS * (size_t)cpus : 0u;
    for (size_t i = 0; i < count; i++) {
        faults[i] = attach_event(events[i % EVENTS].program, events[i % EVENTS].event, (int)(i / EVENTS));
        if (faults[i] < 0 && errno != ENODEV) { /* that CPU is offline */
            rts_page_faults_detach();
        }
    }
    return faults != NULL;
}
