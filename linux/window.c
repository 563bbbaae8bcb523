/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What all kinds of windows have in common: to be mapped, refused with a reason, and closed.
 */
#include "window.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

rts_status rts_window_refuse(rts_window *window, rts_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(window->name, sizeof window->name, format, arguments);
    va_end(arguments);
    if (window->file >= 0) {
        (void)close(window->file);
        window->file = -1;
    }
    return status;
}

rts_status rts_window_map(rts_window *window, size_t bytes, off_t at, size_t lead)
{
    if (bytes < RTS_WINDOW_LEAST) {
        return rts_window_refuse(window, RTS_INVALID, "the window has %zu bytes: two blocks of 4096 are needed", bytes);
    }
    void *mapped = mmap(NULL, lead + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, window->file, at);
    if (mapped == MAP_FAILED) {
        const int error = errno;
        return rts_window_refuse(window, error == EACCES || error == EPERM ? RTS_DENIED : RTS_INVALID,
                                 "the window cannot be mapped: %s", strerror(error));
    }
    window->mapping = mapped;
    window->mapped = lead + bytes;
    window->base = (volatile unsigned char *)mapped + lead;
    window->bytes = bytes;
    return RTS_OK;
}

void rts_window_close(rts_window *window)
{
    if (window->base != NULL) {
        (void)munmap(window->mapping, window->mapped);
        window->base = NULL;
    }
    if (window->file >= 0) {
        (void)close(window->file);
        window->file = -1;
    }
}
