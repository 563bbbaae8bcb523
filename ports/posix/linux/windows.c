/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Windows that are devices: a PCI resource through sysfs, a map of a UIO device, a VMEbus through vme_user. Each is looked at as far as the kernel tells of it
 * before its first byte is touched; nothing is opened that the plan does not name.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../measurements/window.h"
#include "files.h"
#include "vme_user.h"

/* Of a line of sysfs' `resource`: include/linux/ioport.h. */
#define RESOURCE_IO 0x00000100u
#define RESOURCE_MEM 0x00000200u

static rts_status open_file(rts_window *window, const char *path)
{
    window->file = open(path, O_RDWR | O_SYNC | O_CLOEXEC);
    if (window->file >= 0) {
        return RTS_OK;
    }
    const int error = errno;
    const bool denied = error == EACCES || error == EPERM;
    return rts_window_refuse(window, denied ? RTS_DENIED : RTS_INVALID, "%s cannot be opened: %s%s", path,
                             strerror(error), denied ? " (run as root, or be given the file)" : "");
}

static size_t least(uint64_t a, size_t b)
{
    return a < b ? (size_t)a : b;
}

/** The n-th line of a PCI device's `resource`: start, end, flags. */
static bool pci_resource(const char *folder, unsigned which, uint64_t *bytes, uint64_t *flags)
{
    char path[120];
    char line[80];
    bool found = false;
    (void)snprintf(path, sizeof path, "%s/resource", folder);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    for (unsigned i = 0; fgets(line, sizeof line, file) != NULL; i++) {
        uint64_t start = 0;
        uint64_t end = 0;
        if (i == which && sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx64, &start, &end, flags) == 3) {
            *bytes = end > start ? end - start + 1u : 0;
            found = true;
            break;
        }
    }
    (void)fclose(file);
    return found;
}

static rts_status open_pci(rts_window *window, const char *spec)
{
    char address[16];
    unsigned which = 0;
    int length = 0;
    char folder[80];
    char path[120];
    char vendor[16];
    char device[16];
    uint64_t bytes = 0;
    uint64_t flags = 0;
    if (sscanf(spec, "%15[0-9a-f:.]/%u%n", address, &which, &length) != 2 || spec[length] != '\0' || which > 5u) {
        return rts_window_refuse(window, RTS_INVALID,
                                 "a PCI window is pci:DOMAIN:BUS:DEV.FN/N as in pci:0000:00:04.0/2");
    }
    (void)snprintf(folder, sizeof folder, "/sys/bus/pci/devices/%s", address);
    if (access(folder, F_OK) != 0) {
        return rts_window_refuse(window, RTS_INVALID, "there is no PCI device %s", address);
    }
    if (!pci_resource(folder, which, &bytes, &flags) || bytes == 0) {
        return rts_window_refuse(window, RTS_INVALID, "PCI device %s has no resource %u", address, which);
    }
    if ((flags & RESOURCE_MEM) == 0 || (flags & RESOURCE_IO) != 0) {
        return rts_window_refuse(window, RTS_INVALID, "resource %u of PCI device %s is no memory", which, address);
    }
    (void)snprintf(path, sizeof path, "%s/vendor", folder);
    (void)rts_linux_line(path, vendor, sizeof vendor);
    (void)snprintf(path, sizeof path, "%s/device", folder);
    (void)rts_linux_line(path, device, sizeof device);
    (void)snprintf(path, sizeof path, "%s/resource%u", folder, which);
    rts_status status = open_file(window, path);
    if (status != RTS_OK) {
        return status;
    }
    status = rts_window_map(window, least(bytes, RTS_WINDOW_WANTED), 0);
    if (status == RTS_OK) {
        (void)snprintf(window->name, sizeof window->name, "PCI %s resource %u (%s:%s), %zu of %" PRIu64 " bytes",
                       address, which, vendor, device, window->bytes, bytes);
    }
    return status;
}

static bool hexadecimal(const char *path, uint64_t *value)
{
    char text[32];
    char *end = NULL;
    if (!rts_linux_line(path, text, sizeof text)) {
        return false;
    }
    *value = strtoull(text, &end, 16);
    return end != text;
}

static rts_status open_uio(rts_window *window, const char *spec)
{
    unsigned device = 0;
    unsigned map = 0;
    int length = 0;
    char path[120];
    char name[64];
    uint64_t bytes = 0;
    if (sscanf(spec, "%u/%u%n", &device, &map, &length) != 2 || spec[length] != '\0') {
        return rts_window_refuse(window, RTS_INVALID, "a UIO window is uio:N/M: map M of /dev/uioN");
    }
    (void)snprintf(path, sizeof path, "/sys/class/uio/uio%u/maps/map%u/size", device, map);
    if (!hexadecimal(path, &bytes) || bytes == 0) {
        return rts_window_refuse(window, RTS_INVALID, "there is no map %u of /dev/uio%u", map, device);
    }
    (void)snprintf(path, sizeof path, "/sys/class/uio/uio%u/name", device);
    (void)rts_linux_line(path, name, sizeof name);
    (void)snprintf(path, sizeof path, "/dev/uio%u", device);
    rts_status status = open_file(window, path);
    if (status != RTS_OK) {
        return status;
    }
    /* Map M is asked for by an offset of M pages (UIO documentation, "mmap"). */
    status = rts_window_map(window, least(bytes, RTS_WINDOW_WANTED), (off_t)map * (off_t)sysconf(_SC_PAGESIZE));
    if (status == RTS_OK) {
        (void)snprintf(window->name, sizeof window->name, "UIO %u (%.60s) map %u, %zu of %" PRIu64 " bytes", device,
                       name, map, window->bytes, bytes);
    }
    return status;
}

static uint32_t vme_space(const char *name)
{
    return strcmp(name, "a16") == 0   ? RTS_VME_A16
           : strcmp(name, "a24") == 0 ? RTS_VME_A24
           : strcmp(name, "a32") == 0 ? RTS_VME_A32
                                      : 0u;
}

/* No bridge of Linux's has a window of 8 bits: a call that moves one byte is a transfer of 8 bits in any. */
static uint32_t vme_width(uint32_t bits)
{
    return bits == 8u || bits == 16u ? RTS_VME_D16 : bits == 32u ? RTS_VME_D32 : 0u;
}

static rts_status open_vme(rts_window *window, const char *spec, uint32_t bits)
{
    unsigned which = 0;
    char space[4] = "";
    uint64_t address = 0;
    int length = 0;
    char path[40];
    if (sscanf(spec, "%u/%3[a0-9]/%" SCNx64 "%n", &which, space, &address, &length) != 3 || spec[length] != '\0' ||
        vme_space(space) == 0u) {
        return rts_window_refuse(window, RTS_INVALID, "a VME window is vme:N/a16|a24|a32/ADDR as in vme:0/a24/100000");
    }
    if (vme_width(bits) == 0u) {
        return rts_window_refuse(window, RTS_UNSUPPORTED, "vme_user has no single transfers of %" PRIu32 " bits", bits);
    }
    const uint64_t limit = vme_space(space) == RTS_VME_A16   ? UINT64_C(1) << 16
                           : vme_space(space) == RTS_VME_A24 ? UINT64_C(1) << 24
                                                             : UINT64_C(1) << 32;
    if (address >= limit || (address & 0xffffu) != 0u) {
        return rts_window_refuse(window, RTS_INVALID,
                                 "%s has no window at %" PRIx64 ": its addresses are multiples of 10000 below %" PRIx64,
                                 space, address, limit);
    }
    (void)snprintf(path, sizeof path, "/dev/bus/vme/m%u", which);
    const rts_status status = open_file(window, path);
    if (status != RTS_OK) {
        return status;
    }
    const rts_vme_master master = {
        .enable = 1,
        .address = address,
        .bytes = least(limit - address, RTS_WINDOW_WANTED),
        .space = vme_space(space),
        .cycle = RTS_VME_SCT | RTS_VME_USER | RTS_VME_DATA,
        .width = vme_width(bits),
    };
    if (ioctl(window->file, RTS_VME_SET_MASTER, &master) != 0) {
        return rts_window_refuse(window, RTS_INVALID, "%s takes no %s window at %" PRIx64 ": %s", path, space, address,
                                 strerror(errno));
    }
    window->bytes = (size_t)master.bytes;
    window->piece = bits == 8u ? 1u : 0u;
    window->simulated = access("/sys/module/vme_fake", F_OK) == 0;
    (void)snprintf(window->name, sizeof window->name, "VMEbus %s D%" PRIu32 " at %" PRIx64 " by %s, %zu bytes", space,
                   bits, address, path, window->bytes);
    return RTS_OK;
}

rts_status rts_system_window_open(rts_window *window, const char *spec, uint32_t bits)
{
    if (strncmp(spec, "pci:", 4) == 0) {
        return open_pci(window, spec + 4);
    }
    if (strncmp(spec, "uio:", 4) == 0) {
        return open_uio(window, spec + 4);
    }
    if (strncmp(spec, "vme:", 4) == 0) {
        return open_vme(window, spec + 4, bits);
    }
    return RTS_UNSUPPORTED;
}
