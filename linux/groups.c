/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The control group of this process and those above it, as far as they are visible here: versions 1 and 2 (cgroups(7)).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "groups.h"

/* Version 1 states "no limit" as the largest multiple of a page that fits into 64 bits with sign. */
#define MEMORY_MOST (UINT64_C(1) << 62)

/** The decimal number that a text begins with. */
static bool parse(const char *text, uint64_t *value)
{
    char *end = NULL;
    const uint64_t number = strtoull(text, &end, 10);
    *value = end == text ? *value : number;
    return end != text;
}

/** True if the words of a list, parted by commas, have this one. */
static bool listed(const char *list, const char *word)
{
    const size_t bytes = strlen(word);
    for (;;) {
        const size_t length = strcspn(list, ",");
        if (length == bytes && strncmp(list, word, bytes) == 0) {
            return true;
        }
        if (list[length] == '\0') {
            return false;
        }
        list += length + 1u;
    }
}

/** Splits a line in place; the kernel writes a blank within a word as \040. Returns how many words there are, at most `most`. */
static size_t split(char *line, char *words[], size_t most)
{
    size_t count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \n", &rest); word != NULL && count < most; word = strtok_r(NULL, " \n", &rest)) {
        words[count++] = word;
    }
    return count;
}

/** The process's path in a hierarchy, from "number:controllers:path" of /proc/self/cgroup. The caller frees it; NULL: not there. */
static char *path_in(const char *root, const char *controller)
{
    char name[RTS_GROUP_PATH];
    char *line = NULL;
    char *path = NULL;
    size_t room = 0;
    (void)snprintf(name, sizeof name, "%s/proc/self/cgroup", root);
    FILE *const file = fopen(name, "re");
    while (file != NULL && path == NULL && getline(&line, &room, file) > 0) {
        char *const first = strchr(line, ':');
        char *const second = first == NULL ? NULL : strchr(first + 1, ':');
        if (second == NULL) {
            continue;
        }
        *second = '\0';
        second[1u + strcspn(second + 1, "\n")] = '\0';
        if (controller == NULL ? first[1] == '\0' && line[0] == '0' : listed(first + 1, controller)) {
            path = strdup(second + 1);
        }
    }
    free(line);
    if (file != NULL) {
        (void)fclose(file);
    }
    return path;
}

/** The path below a mounted part of a hierarchy: a mount need not begin at the hierarchy's root. NULL: the path is not in that part. */
static const char *below(const char *path, const char *part)
{
    const size_t bytes = strcmp(part, "/") == 0 ? 0 : strlen(part);
    if (strncmp(path, part, bytes) != 0 || (path[bytes] != '\0' && path[bytes] != '/') ||
        strncmp(path, "/..", 3) == 0) {
        return NULL;
    }
    return strcmp(path + bytes, "/") == 0 ? "" : path + bytes;
}

/** Where the hierarchy is mounted (/proc/self/mountinfo, proc(5)). */
static bool find_mount(rts_group *group, const char *root, const char *controller, const char *path)
{
    enum { ROOT = 3, POINT = 4, OPTIONAL = 6, MOST = 64 };
    char name[RTS_GROUP_PATH];
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    bool within = false;
    (void)snprintf(name, sizeof name, "%s/proc/self/mountinfo", root);
    FILE *const file = fopen(name, "re");
    while (file != NULL && !within && getline(&line, &room, file) > 0) {
        char *words[MOST];
        const size_t count = split(line, words, MOST);
        size_t dash = OPTIONAL;
        while (dash < count && strcmp(words[dash], "-") != 0) {
            dash++;
        }
        if (dash + 3 >= count || strcmp(words[dash + 1], controller == NULL ? "cgroup2" : "cgroup") != 0 ||
            (controller != NULL && !listed(words[dash + 3], controller))) {
            continue;
        }
        /* A mount in which the process's own path does not lie is the group's own folder as most engines of containers mount it. */
        const char *const rest = below(path, words[ROOT]);
        const int bytes =
            snprintf(group->folder, sizeof group->folder, "%s%s%s", root, words[POINT], rest == NULL ? "" : rest);
        found = bytes > 0 && (size_t)bytes < sizeof group->folder;
        within = found && rest != NULL;
        group->mount_bytes = strlen(root) + strlen(words[POINT]);
    }
    free(line);
    if (file != NULL) {
        (void)fclose(file);
    }
    return found;
}

static bool find_in(rts_group *group, const char *root, const char *controller)
{
    char *const path = path_in(root, controller);
    const bool found = path != NULL && find_mount(group, root, controller, path);
    group->version = controller == NULL ? 2 : 1;
    free(path);
    return found;
}

bool rts_group_find(rts_group *group, const char *root, const char *controller)
{
    /* A controller is in one hierarchy only; where none of version 1 has it, that of version 2 may. */
    return (controller != NULL && find_in(group, root, controller)) || find_in(group, root, NULL);
}

bool rts_group_up(rts_group *group)
{
    char *const last = strrchr(group->folder + group->mount_bytes, '/');
    if (last == NULL) {
        return false;
    }
    *last = '\0';
    return true;
}

static bool path_of(const rts_group *group, const char *file, char *path, size_t room)
{
    const int bytes = snprintf(path, room, "%s/%s", group->folder, file);
    return bytes > 0 && (size_t)bytes < room;
}

bool rts_group_line(const rts_group *group, const char *file, char *line, size_t room)
{
    char path[RTS_GROUP_PATH + 64u];
    line[0] = '\0';
    return path_of(group, file, path, sizeof path) && rts_linux_line(path, line, room);
}

bool rts_group_value(const rts_group *group, const char *file, const char *name, uint64_t *value)
{
    char path[RTS_GROUP_PATH + 64u];
    char line[128];
    bool found = false;
    FILE *const lines = path_of(group, file, path, sizeof path) ? fopen(path, "re") : NULL;
    while (lines != NULL && !found && fgets(line, sizeof line, lines) != NULL) {
        const size_t bytes = strlen(name);
        found = strncmp(line, name, bytes) == 0 && line[bytes] == ' ' && parse(line + bytes + 1, value);
    }
    if (lines != NULL) {
        (void)fclose(lines);
    }
    return found;
}

static bool integer(const rts_group *group, const char *file, int64_t *value)
{
    char path[RTS_GROUP_PATH + 64u];
    return path_of(group, file, path, sizeof path) && rts_linux_integer(path, value);
}

/** In thousandths of a CPU. */
static uint64_t share(int64_t runtime, int64_t period)
{
    return runtime < 0 || period <= 0 ? RTS_GROUP_UNLIMITED : (uint64_t)runtime * 1000u / (uint64_t)period;
}

uint64_t rts_group_quota(const rts_group *group)
{
    char line[64];
    int64_t runtime = -1;
    int64_t period = 0;
    if (group->version == 2) { /* "max 100000", "50000 100000" */
        uint64_t most = 0;
        uint64_t of = 0;
        const bool limited = rts_group_line(group, "cpu.max", line, sizeof line) && parse(line, &most) &&
                             parse(line + strcspn(line, " "), &of);
        return limited ? share((int64_t)most, (int64_t)of) : RTS_GROUP_UNLIMITED;
    }
    const bool known = integer(group, "cpu.cfs_quota_us", &runtime) && integer(group, "cpu.cfs_period_us", &period);
    return known ? share(runtime, period) : RTS_GROUP_UNLIMITED;
}

bool rts_group_budget(const rts_group *group, uint64_t *runtime_us, uint64_t *period_us)
{
    int64_t runtime = -1;
    int64_t period = 0;
    const bool limited = integer(group, "cpu.rt_runtime_us", &runtime) && runtime >= 0 &&
                         integer(group, "cpu.rt_period_us", &period) && period > 0;
    *runtime_us = limited ? (uint64_t)runtime : 0;
    *period_us = limited ? (uint64_t)period : 0;
    return limited;
}

uint64_t rts_group_realtime(const rts_group *group)
{
    uint64_t runtime = 0;
    uint64_t period = 0;
    return rts_group_budget(group, &runtime, &period) ? share((int64_t)runtime, (int64_t)period) : RTS_GROUP_UNLIMITED;
}

uint64_t rts_group_memory(const rts_group *group)
{
    int64_t bytes = -1;
    const bool known = integer(group, group->version == 2 ? "memory.max" : "memory.limit_in_bytes", &bytes);
    return known && bytes >= 0 && (uint64_t)bytes < MEMORY_MOST ? (uint64_t)bytes : RTS_GROUP_UNLIMITED;
}

uint64_t rts_group_least(const char *root, const char *controller, uint64_t (*limit)(const rts_group *group))
{
    rts_group group;
    uint64_t least = RTS_GROUP_UNLIMITED;
    bool more = rts_group_find(&group, root, controller);
    while (more) {
        const uint64_t here = limit(&group);
        least = here < least ? here : least;
        more = rts_group_up(&group);
    }
    return least;
}

bool rts_group_cpus(const char *root, char *list, size_t room)
{
    rts_group group;
    char path[RTS_GROUP_PATH];
    char online[1024];
    list[0] = '\0';
    (void)snprintf(path, sizeof path, "%s/sys/devices/system/cpu/online", root);
    return rts_group_find(&group, root, "cpuset") &&
           (rts_group_line(&group, "cpuset.cpus.effective", list, room) ||
            rts_group_line(&group, "cpuset.effective_cpus", list, room) ||
            rts_group_line(&group, "cpuset.cpus", list, room)) &&
           !(rts_linux_line(path, online, sizeof online) && strcmp(list, online) == 0);
}

bool rts_group_stops_read(const rts_group *group, rts_group_stops *stops)
{
    const rts_group_stops none = {0};
    uint64_t time = 0;
    *stops = none;
    if (!rts_group_value(group, "cpu.stat", "nr_periods", &stops->periods) ||
        !rts_group_value(group, "cpu.stat", "nr_throttled", &stops->stopped)) {
        return false;
    }
    if (rts_group_value(group, "cpu.stat", "throttled_usec", &time)) {
        stops->stopped_ns = time * 1000u;
        return true;
    }
    return rts_group_value(group, "cpu.stat", "throttled_time", &stops->stopped_ns);
}

bool rts_group_pressure(const char *root, const char *resource, uint64_t *waited_ns)
{
    rts_group group;
    char file[32];
    char line[160];
    char path[RTS_GROUP_PATH];
    (void)snprintf(file, sizeof file, "%s.pressure", resource);
    (void)snprintf(path, sizeof path, "%s/proc/pressure/%s", root, resource);
    if (!(rts_group_find(&group, root, NULL) && rts_group_line(&group, file, line, sizeof line)) &&
        !rts_linux_line(path, line, sizeof line)) {
        return false;
    }
    const char *const total = strncmp(line, "some ", 5) == 0 ? strstr(line, "total=") : NULL;
    uint64_t waited_us = 0;
    if (total == NULL || !parse(total + strlen("total="), &waited_us)) {
        return false;
    }
    *waited_ns = waited_us * 1000u;
    return true;
}
