/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which running kernel a process is on, as a number that a double holds: by it the IOC knows clients on another machine from those in a network name
 * space or a container of its own.
 */
#ifndef RTSTONE_LOAD_MACHINE_H
#define RTSTONE_LOAD_MACHINE_H

#include <stdint.h>
#include <stdio.h>

#define RTSTONE_LOAD_MACHINE_DIGITS 12

/** The first 48 bits of what Linux draws by lot at each start; 0 where there is none. */
static inline uint64_t rtstone_load_machine(void)
{
    FILE *const file = fopen("/proc/sys/kernel/random/boot_id", "re");
    uint64_t found = 0;
    int digits = 0;
    for (int at = file == NULL ? EOF : getc(file); at != EOF && digits < RTSTONE_LOAD_MACHINE_DIGITS; at = getc(file)) {
        const int digit = at >= '0' && at <= '9' ? at - '0' : at >= 'a' && at <= 'f' ? at - 'a' + 10 : -1;
        if (digit >= 0) {
            found = found << 4 | (uint64_t)digit;
            digits++;
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return digits == RTSTONE_LOAD_MACHINE_DIGITS ? found : 0;
}

#endif
