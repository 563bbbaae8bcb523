/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reading the one-line files of /proc and /sys.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

bool rts_linux_line(const char *path, char *line, size_t room)
{
    line[0] = '\0';
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    const ssize_t got = read(file, line, room - 1);
    (void)close(file);
    line[got > 0 ? got : 0] = '\0';
    line[strcspn(line, "\r\n")] = '\0';
    return line[0] != '\0';
}

bool rts_linux_integer(const char *path, int64_t *value)
{
    char line[32];
    if (!rts_linux_line(path, line, sizeof line)) {
        return false;
    }
    char *end = NULL;
    *value = strtoll(line, &end, 10);
    return end != line && *end == '\0';
}

bool rts_linux_field(const char *path, const char *name, char *value, size_t room)
{
    FILE *const file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    char line[1024];
    bool found = false;
    const size_t length = strlen(name);
    while (!found && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, length) != 0) {
            continue;
        }
        const char *at = line + length + strspn(line + length, " \t");
        if (*at != ':') {
            continue;
        }
        at++;
        at += strspn(at, " \t");
        (void)snprintf(value, room, "%.*s", (int)strcspn(at, "\r\n"), at);
        found = value[0] != '\0';
    }
    (void)fclose(file);
    return found;
}

void rts_linux_file_fact(rts_fact_fn fact, void *arg, const char *key, const char *path)
{
    char line[1024];
    if (rts_linux_line(path, line, sizeof line)) {
        fact(arg, key, line);
    }
}
