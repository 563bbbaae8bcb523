/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Opens windows: shared memory here, devices by the system's own folder.
 */
#include "window.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "posix.h"

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

static rts_status open_shared(rts_window *window)
{
    char name[40];
    (void)snprintf(name, sizeof name, "/rtstone-window-%ld", (long)getpid());
    window->file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (window->file < 0) {
        return rts_window_refuse(window, rts_posix_status(errno), "shared memory cannot be had: %s", strerror(errno));
    }
    (void)shm_unlink(name);
    if (ftruncate(window->file, (off_t)RTS_WINDOW_WANTED) != 0) {
        return rts_window_refuse(window, RTS_FAILED, "shared memory cannot be had: %s", strerror(errno));
    }
    (void)snprintf(window->name, sizeof window->name, "POSIX shared memory, %u KiB: no bus between",
                   RTS_WINDOW_WANTED / 1024u);
    return rts_window_map(window, RTS_WINDOW_WANTED, 0, 0);
}

rts_status rts_window_open(rts_window *window, const char *spec, uint32_t bits)
{
    *window = (rts_window){.file = -1};
    if (strcmp(spec, "default") == 0 || strcmp(spec, "shm") == 0) {
        return open_shared(window);
    }
    const rts_status status = rts_system_window_open(window, spec, bits);
    if (status == RTS_UNSUPPORTED && window->name[0] == '\0') {
        return rts_window_refuse(
            window, RTS_INVALID,
            "there is no window '%s': shm, pci:DOMAIN:BUS:DEV.FN/N, uio:N/M or vme:N/a16|a24|a32/ADDR", spec);
    }
    return status;
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
