/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * For first programs of tests' guests: loads a kernel module of the RAM disk.
 */
#ifndef LOAD_MODULE_H
#define LOAD_MODULE_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/** Loads /modules/NAME.ko without parameters. Prints a line with FAILS if that is refused. */
static inline void load_module(const char *name)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/modules/%s.ko", name);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || syscall(SYS_finit_module, file, "", 0) != 0) {
        (void)printf("FAILS to load %s: %s\n", name, strerror(errno));
    }
    (void)close(file);
}

#endif
