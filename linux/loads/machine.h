/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What loads need to know of the machine before they start: its last-level cache, its free memory, the file system of a folder.
 */
#ifndef RTSTONE_MACHINE_H
#define RTSTONE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes of the last-level cache that a CPU uses; 0: the kernel does not report them. */
uint64_t rts_machine_cache_bytes(int32_t cpu);

/** Whether so many bytes of memory are free, and the same amount stays free. If not, `why` gets a sentence. */
bool rts_machine_has_memory(uint64_t bytes, char *why, size_t room);

/** Type of the file system that holds a folder ("ext4"), as the kernel's list of mounts has it. */
bool rts_machine_file_system(const char *folder, char *type, size_t room);

#endif
