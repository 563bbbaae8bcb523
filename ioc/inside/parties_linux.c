/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Threads and their scheduling, as Linux lists them.
 */
#include "parties.h"

#include <dirent.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

#define MOST 64u /* a large machine has an interrupt thread per queue: the others are reported as a number */

typedef struct party {
    char name[32];
    char standing[32];
} party;

/** How the kernel schedules a thread; false if it is gone. */
static bool look(pid_t thread, party *found)
{
    char path[64];
    struct sched_param param;
    (void)snprintf(path, sizeof path, "/proc/%d/comm", (int)thread);
    const int policy = sched_getscheduler(thread);
    if (policy < 0 || sched_getparam(thread, &param) != 0 || !rts_linux_line(path, found->name, sizeof found->name)) {
        return false;
    }
    const char *const class = policy == SCHED_FIFO ? "fifo" : policy == SCHED_RR ? "rr" : "other";
    (void)snprintf(found->standing, sizeof found->standing, "%s %d", class, param.sched_priority);
    return true;
}

static bool serves_interrupts(const char *name)
{
    return strncmp(name, "irq/", 4) == 0 || strncmp(name, "ksoftirqd/", 10) == 0;
}

static size_t gather(const char *folder, bool all, party *parties, size_t count, size_t *left_out)
{
    DIR *const threads = opendir(folder);
    for (const struct dirent *each = threads == NULL ? NULL : readdir(threads); each != NULL; each = readdir(threads)) {
        const long thread = strtol(each->d_name, NULL, 10);
        party found;
        bool known = thread <= 0 || !look((pid_t)thread, &found) || !(all || serves_interrupts(found.name));
        bool told_otherwise = false;
        for (size_t i = 0; i < count && !known; i++) {
            const bool named = strcmp(parties[i].name, found.name) == 0;
            known = named && strcmp(parties[i].standing, found.standing) == 0;
            told_otherwise = told_otherwise || named;
        }
        if (!known && !told_otherwise && count < MOST) {
            parties[count++] = found;
        } else if (!known) {
            (*left_out)++;
        }
    }
    if (threads != NULL) {
        (void)closedir(threads);
    }
    return count;
}

void parties_describe(rts_fact_fn fact, void *arg)
{
    static party parties[MOST];
    size_t left_out = 0;
    const size_t own = gather("/proc/self/task", true, parties, 0, &left_out);
    const size_t count = gather("/proc", false, parties, own, &left_out);
    for (size_t i = 0; i < count; i++) {
        char key[48];
        (void)snprintf(key, sizeof key, "priority.%.31s", parties[i].name);
        fact(arg, key, parties[i].standing);
    }
    if (left_out > 0) {
        char text[24];
        (void)snprintf(text, sizeof text, "%zu", left_out);
        fact(arg, "priority.more", text);
    }
}
