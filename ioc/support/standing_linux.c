/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Locked memory, as /proc has it.
 */
#include <stdio.h>

#include "standing.h"

long standing_locked_kb(void)
{
    FILE *const file = fopen("/proc/self/status", "re");
    if (file == NULL) {
        return -1;
    }
    long kb = -1;
    char line[128];
    while (kb < 0 && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "VmLck: %ld", &kb) != 1) { /* NOLINT(cert-err34-c): a number of the kernel's */
            kb = -1;
        }
    }
    (void)fclose(file);
    return kb;
}
