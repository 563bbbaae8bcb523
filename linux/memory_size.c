/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How large this machine's caches are, and how much memory a process may still take.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "groups.h"

/** "32768K" as bytes; 0: not a size. */
static uint64_t size_of(const char *text)
{
    char *end = NULL;
    const uint64_t number = strtoull(text, &end, 10);
    const bool whole = end != text && (end[0] == '\0' || end[1] == '\0');
    switch (whole ? end[0] : '?') {
    case '\0':
        return number;
    case 'K':
        return number << 10;
    case 'M':
        return number << 20;
    default:
        return 0;
    }
}

uint64_t rts_linux_largest_cache(const char *root)
{
    char path[RTS_GROUP_PATH];
    char line[32];
    glob_t files;
    uint64_t largest = 0;
    (void)snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu[0-9]*/cache/index*/size", root);
    if (glob(path, 0, NULL, &files) == 0) {
        for (size_t i = 0; i < files.gl_pathc; i++) {
            const uint64_t bytes = rts_linux_line(files.gl_pathv[i], line, sizeof line) ? size_of(line) : 0;
            largest = bytes > largest ? bytes : largest;
        }
        globfree(&files);
    }
    return largest;
}

/** What a group's limit leaves: its files' pages can be dropped, the memory of its processes cannot. */
static uint64_t left_in(const rts_group *group)
{
    const uint64_t limit = rts_group_memory(group);
    uint64_t held = 0;
    if (limit != RTS_GROUP_UNLIMITED) {
        (void)rts_group_value(group, "memory.stat", group->version == 2 ? "anon" : "total_rss", &held);
    }
    return limit == RTS_GROUP_UNLIMITED ? limit : held < limit ? limit - held : 0;
}

uint64_t rts_linux_memory_left(const char *root)
{
    char path[RTS_GROUP_PATH];
    char text[32];
    (void)snprintf(path, sizeof path, "%s/proc/meminfo", root);
    const uint64_t machine = rts_linux_field(path, "MemAvailable", text, sizeof text)
                                 ? (uint64_t)strtoull(text, NULL, 10) << 10 /* "21945916 kB" */
                                 : RTS_GROUP_UNLIMITED;
    const uint64_t groups = rts_group_least(root, "memory", left_in);
    return machine < groups ? machine : groups;
}
