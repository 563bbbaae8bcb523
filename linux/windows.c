/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Windows that are devices: a PCI resource through sysfs, a map of a UIO device, a VMEbus through vme_user. Each is checked, as far as the kernel
 * reports its facts, before its first byte is accessed. Only devices that the plan names are opened.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../probe/rtstone_probe.h"
#include "files.h"
#include "numbers.h"
#include "system.h"
#include "vme_user.h"
#include "window.h"

/* Of a line of sysfs' `resource`: include/linux/ioport.h. */
#define RESOURCE_IO 0x00000100u
#define RESOURCE_MEM 0x00000200u

#define UIO_MAPS 5u /* the last one: MAX_UIO_MAPS of include/linux/uio_driver.h */

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

/** Three numbers as sysfs writes them: 0x…, blanks between. */
static bool hexadecimals(const char *text, uint64_t value[3])
{
    for (int i = 0; i < 3; i++) {
        text += strspn(text, " ");
        text = strncmp(text, "0x", 2) == 0 ? rts_linux_number(text + 2, 16, &value[i]) : NULL;
        if (text == NULL) {
            return false;
        }
    }
    return true;
}

/** Two decimal numbers with a slash between them, and nothing else. */
static bool pair_of(const char *text, uint64_t *first, uint64_t *second)
{
    const char *end = rts_linux_number(text, 10, first);
    end = end != NULL && *end == '/' ? rts_linux_number(end + 1, 10, second) : NULL;
    return end != NULL && *end == '\0';
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
        uint64_t range[3]; /* start, end, flags */
        if (i == which && hexadecimals(line, range)) {
            *bytes = range[1] > range[0] ? range[1] - range[0] + 1u : 0;
            *flags = range[2];
            found = true;
            break;
        }
    }
    (void)fclose(file);
    return found;
}

#define MOVER "/dev/" RTSTONE_WINDOW_DEVICE

/** Opens the probe module's window to a PCI resource, if that is the one which it was loaded for. It moves the blocks, and can be mapped. */
static rts_status open_mover(rts_window *window, const char *address, unsigned which)
{
    struct rtstone_window_info info = {.bytes = 0};
    char place[sizeof info.place];
    (void)snprintf(place, sizeof place, "%s/%u", address, which);
    if (access(MOVER, F_OK) != 0) {
        return rts_window_refuse(window, RTS_INVALID,
                                 "there is no %s: the module rtstone_probe makes it, with window=%s", MOVER, place);
    }
    const rts_status status = open_file(window, MOVER);
    if (status != RTS_OK) {
        return status;
    }
    if (ioctl(window->file, RTSTONE_WINDOW_INFO, &info) != 0 || strncmp(info.place, place, sizeof place) != 0) {
        return rts_window_refuse(window, RTS_INVALID, "the module rtstone_probe was loaded for %.24s, not for %s",
                                 info.place, place);
    }
    window->kernel = true;
    return RTS_OK;
}

static rts_status open_pci(rts_window *window, const char *spec)
{
    char address[16];
    uint64_t number = 0;
    char folder[80];
    char path[120];
    char vendor[16];
    char device[16];
    uint64_t bytes = 0;
    uint64_t flags = 0;
    const size_t length = strspn(spec, "0123456789abcdef:.");
    const char *end = spec[length] == '/' ? rts_linux_number(spec + length + 1, 10, &number) : NULL;
    const bool kernel = end != NULL && strcmp(end, "/kernel") == 0;
    if (length == 0 || length >= sizeof address || end == NULL || (*end != '\0' && !kernel) || number > 5u) {
        return rts_window_refuse(
            window, RTS_INVALID,
            "a PCI window is pci:DOMAIN:BUS:DEV.FN/N as in pci:0000:00:04.0/2, or the same and /kernel");
    }
    const unsigned which = (unsigned)number;
    memcpy(address, spec, length);
    address[length] = '\0';
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
    rts_status status = kernel ? open_mover(window, address, which) : open_file(window, path);
    if (status != RTS_OK) {
        return status;
    }
    status = rts_window_map(window, least(bytes, RTS_WINDOW_WANTED), 0, 0);
    if (status == RTS_OK) {
        (void)snprintf(window->name, sizeof window->name, "PCI %s resource %u (%s:%s), %zu of %" PRIu64 " bytes%s",
                       address, which, vendor, device, window->bytes, bytes,
                       kernel ? ", by the probe module in kernel space: one call of the kernel a block is in the time"
                              : "");
    }
    return status;
}

static bool hexadecimal(const char *path, uint64_t *value)
{
    char text[32];
    return rts_linux_line(path, text, sizeof text) && strncmp(text, "0x", 2) == 0 &&
           rts_linux_number(text + 2, 16, value) != NULL;
}

static rts_status open_uio(rts_window *window, const char *spec)
{
    uint64_t device = 0;
    uint64_t map = 0;
    char folder[64];
    char path[120];
    char name[64];
    uint64_t bytes = 0;
    uint64_t offset = 0;
    if (!pair_of(spec, &device, &map) || map > UIO_MAPS) {
        return rts_window_refuse(window, RTS_INVALID, "a UIO window is uio:N/M: map M of /dev/uioN");
    }
    (void)snprintf(folder, sizeof folder, "/sys/class/uio/uio%" PRIu64, device);
    (void)snprintf(path, sizeof path, "%s/name", folder);
    if (!rts_linux_line(path, name, sizeof name)) {
        return rts_window_refuse(window, RTS_INVALID, "there is no UIO device /dev/uio%" PRIu64, device);
    }
    (void)snprintf(path, sizeof path, "%s/maps/map%" PRIu64 "/size", folder, map);
    if (!hexadecimal(path, &bytes) || bytes == 0) {
        return rts_window_refuse(window, RTS_INVALID, "there is no map %" PRIu64 " of /dev/uio%" PRIu64 " (%.60s)", map,
                                 device, name);
    }
    /* The kernel maps whole pages: where in the first one the map begins. */
    (void)snprintf(path, sizeof path, "%s/maps/map%" PRIu64 "/offset", folder, map);
    (void)hexadecimal(path, &offset);
    (void)snprintf(path, sizeof path, "/dev/uio%" PRIu64, device);
    rts_status status = open_file(window, path);
    if (status != RTS_OK) {
        return status;
    }
    /* Map M is asked for by an offset of M pages (UIO documentation, "mmap"). */
    status = rts_window_map(window, least(bytes, RTS_WINDOW_WANTED), (off_t)map * (off_t)sysconf(_SC_PAGESIZE),
                            (size_t)offset);
    if (status == RTS_OK) {
        (void)snprintf(window->name, sizeof window->name,
                       "UIO %" PRIu64 " (%.60s) map %" PRIu64 ", %zu of %" PRIu64 " bytes", device, name, map,
                       window->bytes, bytes);
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
    uint64_t which = 0;
    char space[4] = "";
    uint64_t address = 0;
    char path[40];
    const char *at = rts_linux_number(spec, 10, &which);
    const bool parted = at != NULL && at[0] == '/' && strlen(at) > 5u && at[4] == '/';
    if (parted) {
        memcpy(space, at + 1, 3);
        at = rts_linux_number(at + 5, 16, &address);
    }
    const bool mapped = parted && at != NULL && strcmp(at, "/map") == 0;
    if (!parted || at == NULL || (*at != '\0' && !mapped) || vme_space(space) == 0u) {
        return rts_window_refuse(window, RTS_INVALID,
                                 "a VME window is vme:N/a16|a24|a32/ADDR as in vme:0/a24/100000, or the same and /map");
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
    (void)snprintf(path, sizeof path, "/dev/bus/vme/m%" PRIu64, which);
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
    if (!mapped) {
        return RTS_OK;
    }
    if (rts_window_map(window, window->bytes, 0, 0) != RTS_OK) {
        return rts_window_refuse(window, RTS_UNSUPPORTED, "the driver behind %s has no bus resource to map%s", path,
                                 window->simulated ? " (vme_fake)" : "");
    }
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
