/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "object.h"

#include <string.h>
#include <sys/types.h>
#include <unistd.h>

bool rts_bpf_object_path(const char *name, char *path, size_t room)
{
    const size_t bytes = strlen(name) + 1u;
    const ssize_t length = bytes < room ? readlink("/proc/self/exe", path, room - bytes) : -1;
    if (length <= 0 || (size_t)length >= room - bytes) {
        return false;
    }
    path[length] = '\0';
    char *const slash = strrchr(path, '/');
    if (slash == NULL) {
        return false;
    }
    memcpy(slash + 1, name, bytes);
    return access(path, R_OK) == 0;
}
