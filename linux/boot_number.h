/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The running kernel that a process is on, as a number that a double holds. By it two programs know whether they run on one machine, in whatever
 * network name space or container.
 *
 * A header only, so that the clients of an IOC include it too.
 */
#ifndef RTSTONE_LINUX_BOOT_NUMBER_H
#define RTSTONE_LINUX_BOOT_NUMBER_H

#include <stdint.h>
#include <stdio.h>

#define RTS_BOOT_NUMBER_DIGITS 12

/** The first 48 bits of the random number that Linux draws at each boot; 0 if the kernel does not provide it. */
static inline uint64_t rts_boot_number(void)
{
    FILE *const file = fopen("/proc/sys/kernel/random/boot_id", "re");
    uint64_t found = 0;
    int digits = 0;
    for (int at = file == NULL ? EOF : getc(file); at != EOF && digits < RTS_BOOT_NUMBER_DIGITS; at = getc(file)) {
        const int digit = at >= '0' && at <= '9' ? at - '0' : at >= 'a' && at <= 'f' ? at - 'a' + 10 : -1;
        if (digit >= 0) {
            found = found << 4 | (uint64_t)digit;
            digits++;
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return digits == RTS_BOOT_NUMBER_DIGITS ? found : 0;
}

#endif
