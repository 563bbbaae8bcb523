/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's facts of caches, memory and mounts.
 */
#include "machine.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../files.h"

#define CACHES 8u

uint64_t rts_machine_cache_bytes(int32_t cpu)
{
    uint64_t bytes = 0;
    int64_t highest = 0;
    for (unsigned i = 0; i < CACHES; i++) {
        char path[96];
        char size[32];
        int64_t level = 0;
        char *unit = NULL;
        (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%u/level", (int)cpu, i);
        if (!rts_linux_integer(path, &level) || level <= highest) {
            continue;
        }
        (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%u/size", (int)cpu, i);
        if (rts_linux_line(path, size, sizeof size)) {
            const uint64_t number = strtoull(size, &unit, 10);
            bytes = number * (*unit == 'K' ? 1024u : *unit == 'M' ? 1048576u : 1u);
            highest = level;
        }
    }
    return bytes;
}

bool rts_machine_has_memory(uint64_t bytes, char *why, size_t room)
{
    char text[64];
    if (!rts_linux_field("/proc/meminfo", "MemAvailable", text, sizeof text)) {
        (void)snprintf(why, room, "the kernel does not tell how much memory is free (/proc/meminfo)");
        return false;
    }
    const uint64_t free_bytes = strtoull(text, NULL, 10) * 1024u;
    if (bytes > free_bytes / 2u) {
        (void)snprintf(why, room,
                       "it takes %llu MiB of memory, at most half of what is free, and %llu MiB are: lower --intensity",
                       (unsigned long long)(bytes >> 20), (unsigned long long)(free_bytes >> 20));
        return false;
    }
    return true;
}

bool rts_machine_file_system(const char *folder, char *type, size_t room)
{
    char path[PATH_MAX];
    char line[PATH_MAX];
    size_t longest = 0;
    FILE *const mounts = realpath(folder, path) == NULL ? NULL : fopen("/proc/self/mountinfo", "re");
    while (mounts != NULL && fgets(line, sizeof line, mounts) != NULL) {
        /* "36 35 98:0 /root /point options … - type source …" (proc(5)) */
        char *rest = NULL;
        char *const tail = strstr(line, " - ");
        char *point = strtok_r(line, " ", &rest);
        for (int i = 0; i < 4 && point != NULL; i++) {
            point = strtok_r(NULL, " ", &rest);
        }
        if (point == NULL || tail == NULL) {
            continue;
        }
        const size_t length = strcmp(point, "/") == 0 ? 0 : strlen(point);
        const bool holds = strncmp(path, point, length) == 0 && (path[length] == '/' || path[length] == '\0');
        if (holds && length >= longest) { /* the last of those at one place is the one that is seen */
            longest = length;
            (void)snprintf(type, room, "%.*s", (int)strcspn(tail + 3, " "), tail + 3);
        }
    }
    if (mounts != NULL) {
        (void)fclose(mounts);
    }
    return mounts != NULL && type[0] != '\0';
}
