/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The event trails of late cycles of watched threads: read from the kernel's ring, stored in bounded memory, and written as lines of JSON.
 */
#ifndef RTSTONE_LINUX_BPF_TRAILS_H
#define RTSTONE_LINUX_BPF_TRAILS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rtstone_attach_thread;

/**
 * Makes room for the steps of so many CPUs, maps the ring of trails (a map of RTSTONE_ATTACH_TRAILS_BYTES), reads the kernel's names. `threads`: of
 * each slot, read for the numbers of the threads. False and errno.
 */
bool rts_trails_open(int ring, uint32_t cpus, const struct rtstone_attach_thread *threads);

/** Takes all trails that have come. Call it often: the kernel drops, and counts, the trails for which its ring has no room. */
void rts_trails_take(void);

/** Writes a line for each stored trail: the last ones, and the slowest of each thread and kind. */
void rts_trails_print(void);

/**
 * Writes the lines of the slowest trails of the thread that has a slot, and frees the slot; its trails among the last ones stay. The thread has
 * ended, and all its trails were taken.
 */
void rts_trails_retire(size_t slot);

/** Frees all memory of the trails. */
void rts_trails_close(void);

/** Writes `"key":"6869"`: a name of `room` bytes at most, which may hold any byte. */
void rts_trails_print_name(const char *key, const char *name, size_t room);

#endif
