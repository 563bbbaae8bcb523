/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Opens windows: shared memory here, devices in ../windows.c.
 */
#include "open_window.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../system.h"

#define PAGE 4096u /* no page is smaller */

static rts_status open_shared(rts_window *window)
{
    char name[40];
    (void)snprintf(name, sizeof name, "/rtstone-window-%ld", (long)getpid());
    window->file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (window->file < 0) {
        return rts_window_refuse(window, rts_system_status(errno), "shared memory cannot be had: %s", strerror(errno));
    }
    (void)shm_unlink(name);
    if (ftruncate(window->file, (off_t)RTS_WINDOW_WANTED) != 0) {
        return rts_window_refuse(window, RTS_FAILED, "shared memory cannot be had: %s", strerror(errno));
    }
    (void)snprintf(window->name, sizeof window->name, "POSIX shared memory, %u KiB: no bus between",
                   RTS_WINDOW_WANTED / 1024u);
    const rts_status status = rts_window_map(window, RTS_WINDOW_WANTED, 0, 0);
    for (size_t at = 0; status == RTS_OK && at < window->bytes; at += PAGE) {
        window->base[at] =
            0; /* the kernel gives a page when it is first written to: now, and not in a measured window */
    }
    return status;
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
            "there is no window '%s': shm, pci:DOMAIN:BUS:DEV.FN/N[/kernel], uio:N/M or vme:N/a16|a24|a32/ADDR[/map]",
            spec);
    }
    return status;
}
