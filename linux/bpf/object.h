/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where the files of BPF programs lie.
 */
#ifndef RTSTONE_LINUX_BPF_OBJECT_H
#define RTSTONE_LINUX_BPF_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

/** The path of the file `name` beside the engine; false if there is no such file that can be read, or `room` bytes do not hold it. */
bool rts_bpf_object_path(const char *name, char *path, size_t room);

#endif
