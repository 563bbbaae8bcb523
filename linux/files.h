/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reading the one-line files of /proc and /sys.
 */
#ifndef RTSTONE_LINUX_FILES_H
#define RTSTONE_LINUX_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "system.h"

/** The file's first line without its end. False, and an empty string, when it cannot be read or is empty. */
bool rts_linux_line(const char *path, char *line, size_t room);

/** Time that a hypervisor took from the watched CPU (rts_port_watch_begin), in ns since the start; 0 where the kernel does not report it. */
uint64_t rts_linux_steal(void);

/** A decimal integer that is the file's only content. */
bool rts_linux_integer(const char *path, int64_t *value);

/** The value after "name<blanks>:" in a file of such lines (/proc/cpuinfo, /proc/self/status), of its first occurrence. */
bool rts_linux_field(const char *path, const char *name, char *value, size_t room);

/** Reports the file's line as a fact, if there is such a file. */
void rts_linux_file_fact(rts_fact_fn fact, void *arg, const char *key, const char *path);

/** The size of the largest cache of any CPU as the kernel reports it, in bytes; 0 where it reports none. `root` is "" outside of tests. */
uint64_t rts_linux_largest_cache(const char *root);

/**
 * The memory that a process may still take before the machine or a control group is out of it, in bytes; UINT64_MAX: unlimited. `root` is ""
 * outside of tests.
 */
uint64_t rts_linux_memory_left(const char *root);

/**
 * How much of each period real-time threads may run on a CPU, in ns: the smallest share that sched_rt_runtime_us, the budgets of the control groups
 * and the fair server leave to them. 0 and 0: no limit. `root`: prefix of all paths, "" except in tests.
 */
void rts_linux_realtime_limit(const char *root, uint64_t *runtime_ns, uint64_t *period_ns);

/** The container that this process is in ("docker", "podman" …), or NULL when there is no sign of one. */
const char *rts_linux_container(void);

/** True if the kernel would ever grant a capability to this process: a container may have removed it permanently (PR_CAPBSET_READ). */
bool rts_linux_grantable(int capability);

/** Facts of the CPUs, of the kernel's settings, and of this process's limits. */
void rts_linux_describe_cpu(rts_fact_fn fact, void *arg);
/** Which machine this is: its id, names, firmware, memory. `hypervisor`: under which it runs, or an empty text. */
void rts_linux_describe_machine(rts_fact_fn fact, void *arg, const char *hypervisor);
void rts_linux_describe_latency(rts_fact_fn fact, void *arg);
/** The interrupt source of the probe module, if one is used. */
void rts_linux_describe_probe(rts_fact_fn fact, void *arg);

/** True while the probe module has the measured interrupt. */
bool rts_linux_probe_used(void);

#endif
