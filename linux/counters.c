/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What Linux counts for the whole machine, line by line, for a host that is elsewhere.
 */
#include <stdio.h>
#include <string.h>

#include "files.h"

void rts_system_counters(rts_counter_fn line, void *arg, const char *when)
{
    static const char *const files[][2] = {
        {"stat", "/proc/stat"}, {"interrupts", "/proc/interrupts"}, {"loadavg", "/proc/loadavg"}};
    char text[4096]; /* a line of /proc/interrupts has 11 characters a CPU */
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        FILE *const file = fopen(files[i][1], "re");
        while (file != NULL && fgets(text, sizeof text, file) != NULL) {
            text[strcspn(text, "\n")] = '\0';
            if (strncmp(text, "intr ", 5) != 0) { /* /proc/interrupts has more detail */
                line(arg, when, files[i][0], text);
            }
        }
        if (file != NULL) {
            (void)fclose(file);
        }
    }
}
