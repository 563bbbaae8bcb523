/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The system calls of split.c and attach.c to the kernel's BPF once their programs are loaded. Not for a measured window.
 */
#ifndef RTSTONE_LINUX_BPF_CALLS_H
#define RTSTONE_LINUX_BPF_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The kernel's types, without which no program here can be loaded. */
#define RTS_BPF_TYPES "/sys/kernel/btf/vmlinux"

/** The cost of programs since they were loaded; the time only covers the periods in which the kernel timed them. */
typedef struct rts_bpf_cost {
    uint64_t runs;
    uint64_t ns;
    uint64_t missed; /**< runs that the kernel left out because the program was running on that CPU already */
} rts_bpf_cost;

/** Whether to load the programs once more after `error`: a signal that comes meanwhile, SIGSTOP too, ends an attempt. Counts the attempts. */
bool rts_bpf_load_again(int error, uint32_t *tries);

/** Writes the remedy for an error (a number of errno.h) of the kernel in loading or attaching the programs. */
void rts_bpf_why_not(int error, char *why, size_t room);

/** Attaches a program to its tracepoint. Returns a descriptor; closing it detaches the program. -1 and errno on failure. */
int rts_bpf_attach(int program);

/** Adds the cost of a program; nothing if the kernel does not report it. */
void rts_bpf_add_cost(int program, rts_bpf_cost *cost);

/** Lets the kernel time all programs while the descriptor is open. -1 and errno if it does not (CAP_SYS_ADMIN). */
int rts_bpf_time(void);

/** Copies the value of a key of a hash map; false if the map does not have the key. */
bool rts_bpf_find(int map, const void *key, void *value);

/** Adds a key that the map does not have; false if it has the key, or is full. */
bool rts_bpf_add(int map, const void *key, const void *value);

/** Removes a key; false if the map does not have it. */
bool rts_bpf_remove(int map, const void *key);

/** Finds the key after another, in no order; NULL: the first. False after the last. */
bool rts_bpf_next(int map, const void *key, void *next);

#endif
