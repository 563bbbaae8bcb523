/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The control group of this process and those above it, as far as they are visible here: versions 1 and 2 (cgroups(7)).
 */
#ifndef RTSTONE_LINUX_GROUPS_H
#define RTSTONE_LINUX_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Longer paths are not read. */
#define RTS_GROUP_PATH 1024u

/** The value of a limit that is not set. */
#define RTS_GROUP_UNLIMITED UINT64_MAX

/** A control group, as a folder of the controller's hierarchy. */
typedef struct rts_group {
    char folder[RTS_GROUP_PATH];
    size_t mount_bytes; /**< how much of `folder` is the hierarchy's mount point, above which nothing is visible */
    int version;        /**< 1 or 2 */
} rts_group;

/**
 * The group of this process for a controller ("cpu", "cpuset", "memory"); NULL: its group of version 2, whatever controllers that has.
 * `root`: prefix of all paths, "" but in tests. False where no such hierarchy is mounted. Reads files: not for a measured window.
 */
bool rts_group_find(rts_group *group, const char *root, const char *controller);

/** Goes to the group above. False, and the group stays the same, if it is the topmost visible one. */
bool rts_group_up(rts_group *group);

/** The first line of one of the group's files. False, and an empty string, where it cannot be read. */
bool rts_group_line(const rts_group *group, const char *file, char *line, size_t room);

/** An integer of at least 0 after "name " in one of the group's files of such lines. */
bool rts_group_value(const rts_group *group, const char *file, const char *name, uint64_t *value);

/** CPU time that this group may use, in thousandths of a CPU (cpu.max, cpu.cfs_quota_us); RTS_GROUP_UNLIMITED. */
uint64_t rts_group_quota(const rts_group *group);

/** How long its real-time threads may run on a CPU in each period (µs). False where the group states no limit (cpu.rt_runtime_us). */
bool rts_group_budget(const rts_group *group, uint64_t *runtime_us, uint64_t *period_us);

/** Real-time CPU time that this group may use (cpu.rt_runtime_us), in thousandths of a CPU; RTS_GROUP_UNLIMITED. */
uint64_t rts_group_realtime(const rts_group *group);

/** Memory that this group may use, in bytes; RTS_GROUP_UNLIMITED. */
uint64_t rts_group_memory(const rts_group *group);

/** The smallest value of `limit` for the process's group and all visible groups above it; RTS_GROUP_UNLIMITED. */
uint64_t rts_group_least(const char *root, const char *controller, uint64_t (*limit)(const rts_group *group));

/** CPUs that the group may use, as the kernel lists them ("0,2-5"). False if no group states them, or if these are all CPUs. */
bool rts_group_cpus(const char *root, char *list, size_t room);

/** CPU quota periods of a group since it was created: their number, in how many it was stopped, and for how long in all (ns). */
typedef struct rts_group_stops {
    uint64_t periods;
    uint64_t stopped;
    uint64_t stopped_ns;
} rts_group_stops;

/** False if the kernel does not count them for the group: it has no quota, or is the hierarchy's root. */
bool rts_group_stops_read(const rts_group *group, rts_group_stops *stops);

/**
 * How long threads have waited for a resource ("cpu", "memory", "io") since the start, in ns (PSI, "some"): those of this process's group, else
 * those of the whole system. False where the kernel does not count it.
 */
bool rts_group_pressure(const char *root, const char *resource, uint64_t *waited_ns);

#endif
