/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Plays the probe's device to a program that this library is preloaded into: a file whose samples are read as the device's would be. While a
 * file next to it exists, with .busy at the end of its name, opening it is refused as the device refuses a second user.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "../../probe/rtstone_probe.h"

static int is_probe(const char *path)
{
    const char *const name = strrchr(path, '/');
    return name != NULL && strcmp(name, "/" RTSTONE_PROBE_DEVICE) == 0;
}

int open(const char *path, int flags, ...)
{
    int (*real)(const char *, int, ...) = NULL;
    char busy[256];
    va_list more;
    va_start(more, flags);
    const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(more, unsigned) : 0;
    va_end(more);
    *(void **)&real = dlsym(RTLD_NEXT, "open");
    (void)snprintf(busy, sizeof busy, "%s.busy", path);
    if (is_probe(path) && access(busy, F_OK) == 0) {
        errno = EBUSY;
        return -1;
    }
    return real(path, flags, mode);
}

/** The next sample comes after a millisecond. */
ssize_t read(int file, void *to, size_t size)
{
    ssize_t (*real)(int, void *, size_t) = NULL;
    const struct timespec period = {.tv_nsec = 1000000};
    *(void **)&real = dlsym(RTLD_NEXT, "read");
    if (size == sizeof(struct rtstone_probe_sample)) {
        (void)nanosleep(&period, NULL);
    }
    return real(file, to, size);
}

int ioctl(int file, unsigned long request, ...)
{
    int (*real)(int, unsigned long, ...) = NULL;
    va_list more;
    va_start(more, request);
    void *const argument = va_arg(more, void *);
    va_end(more);
    switch (request) {
    case RTSTONE_PROBE_INFO:
        *(struct rtstone_probe_info *)argument = (struct rtstone_probe_info){
            .abi = RTSTONE_PROBE_ABI,
            .clock = RTSTONE_PROBE_CLOCK_MONOTONIC,
            .hz = 1000000000u,
            .source = "played",
            .can = RTSTONE_PROBE_CAN_PERIOD,
        };
        return 0;
    case RTSTONE_PROBE_START:
    case RTSTONE_PROBE_STOP:
        return 0;
    default:
        *(void **)&real = dlsym(RTLD_NEXT, "ioctl");
        return real(file, request, argument);
    }
}
