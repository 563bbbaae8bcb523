/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Finds the children of this process in /proc and kills them.
 */
#include "children.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void rts_children_kill(void)
{
    DIR *const processes = opendir("/proc");
    const struct dirent *entry;
    while (processes != NULL && (entry = readdir(processes)) != NULL) {
        char path[64];
        char line[512];
        (void)snprintf(path, sizeof path, "/proc/%.20s/stat", entry->d_name);
        const long process = strtol(entry->d_name, NULL, 10);
        const int file = process <= 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
        const ssize_t got = file < 0 ? -1 : read(file, line, sizeof line - 1u);
        if (file >= 0) {
            (void)close(file);
        }
        line[got > 0 ? got : 0] = '\0';
        /* "pid (name) state parent …", and the name may hold anything. */
        const char *const name_end = strrchr(line, ')');
        if (name_end != NULL && strlen(name_end) > 4u && strtol(name_end + 4, NULL, 10) == (long)getpid()) {
            (void)kill((pid_t)process, SIGKILL);
        }
    }
    if (processes != NULL) {
        (void)closedir(processes);
    }
}
