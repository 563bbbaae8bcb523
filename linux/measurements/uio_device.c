/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Devices of Linux's user-space I/O: which interrupt is theirs, its acknowledgement, and the wait for it.
 */
#include "uio_device.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../bpf/split.h"
#include "../files.h"
#include "../numbers.h"

#define GENERIC                                                                                                        \
    "uio_pci_generic" /* masks each interrupt by the device's command register, and has nothing to unmask it */
/* PCI: offset of the command register. It is written whole: QEMU overlooks a write of its upper byte alone, and then a request that came meanwhile. */
#define COMMAND 4
#define INTX_MASKED 0x04u /* its bit 10, in the upper byte */

#define INTERRUPTS "/sys/kernel/irq" /* a folder each */

/** What the plan names. */
typedef struct place {
    uint64_t device;
    bool acknowledged;
    uint64_t region;
    uint64_t offset;
    uint64_t value;
} place;

static rts_status refuse(rts_uio *uio, rts_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static rts_status refuse(rts_uio *uio, rts_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(uio->why, sizeof uio->why, format, arguments);
    va_end(arguments);
    rts_uio_close(uio);
    return status;
}

static rts_status status_of(int error)
{
    return error == EACCES || error == EPERM ? RTS_DENIED : RTS_UNSUPPORTED;
}

/** "/dev/uio0" or "/dev/uio0+0/64:1", and nothing else. */
static bool parse(const char *text, place *found)
{
    const char *at = strncmp(text, "/dev/uio", 8) == 0 ? rts_linux_number(text + 8, 10, &found->device) : NULL;
    found->acknowledged = at != NULL && *at == '+';
    if (found->acknowledged) {
        at = rts_linux_number(at + 1, 10, &found->region);
        at = at != NULL && *at == '/' ? rts_linux_number(at + 1, 16, &found->offset) : NULL;
        at = at != NULL && *at == ':' ? rts_linux_number(at + 1, 16, &found->value) : NULL;
    }
    return at != NULL && *at == '\0' && found->device < 1000u && found->region < 6u && found->offset % 4u == 0 &&
           found->offset < UINT32_MAX && found->value <= UINT32_MAX;
}

/** How often a list of handlers ("ehci_hcd:usb1,uio_pci_generic") has this one. */
static unsigned listed(const char *actions, const char *driver)
{
    unsigned count = 0;
    const size_t length = strlen(driver);
    for (const char *at = actions; at != NULL; at = strchr(at, ',')) {
        at += *at == ',' ? 1 : 0;
        count += strncmp(at, driver, length) == 0 && (at[length] == ',' || at[length] == '\0') ? 1u : 0u;
    }
    return count;
}

/** Finds the interrupt whose handler has the driver's name. Where several have it, `own` is preferred. Returns how many handlers have it. */
static unsigned find_interrupt(const char *driver, int64_t own, int64_t *number)
{
    unsigned count = 0;
    char path[320];
    char actions[256];
    DIR *const all = opendir(INTERRUPTS);
    for (const struct dirent *one; all != NULL && (one = readdir(all)) != NULL;) {
        uint64_t which = 0;
        if (rts_linux_number(one->d_name, 10, &which) == NULL || which > INT32_MAX) {
            continue;
        }
        (void)snprintf(path, sizeof path, INTERRUPTS "/%s/actions", one->d_name);
        const unsigned here = rts_linux_line(path, actions, sizeof actions) ? listed(actions, driver) : 0;
        if (here == 0) {
            continue;
        }
        if ((int64_t)which == own) {
            *number = own;
            count = here;
            break;
        }
        *number = (int64_t)which;
        count += here;
    }
    if (all != NULL) {
        (void)closedir(all);
    }
    return count;
}

/** Another process that has the file open, as far as this one may see; 0: none. */
static int user_of(const char *path)
{
    int found = 0;
    char folder[64];
    char link[320];
    char target[64];
    DIR *const all = opendir("/proc");
    for (const struct dirent *one; found == 0 && all != NULL && (one = readdir(all)) != NULL;) {
        uint64_t process = 0;
        if (rts_linux_number(one->d_name, 10, &process) == NULL || process == (uint64_t)getpid()) {
            continue;
        }
        (void)snprintf(folder, sizeof folder, "/proc/%" PRIu64 "/fd", process);
        DIR *const files = opendir(folder);
        for (const struct dirent *file; files != NULL && (file = readdir(files)) != NULL;) {
            (void)snprintf(link, sizeof link, "%s/%s", folder, file->d_name);
            const ssize_t length = readlink(link, target, sizeof target - 1);
            target[length < 0 ? 0 : length] = '\0';
            if (strcmp(target, path) == 0) {
                found = (int)process;
                break;
            }
        }
        if (files != NULL) {
            (void)closedir(files);
        }
    }
    if (all != NULL) {
        (void)closedir(all);
    }
    return found;
}

/** Maps the register that acknowledges: of a map of the device, or of a PCI device without maps of its resource. */
static rts_status map_register(rts_uio *uio, const char *folder, const place *asked)
{
    char path[120];
    char line[32];
    uint64_t lead = 0;
    (void)snprintf(path, sizeof path, "%s/maps/map%" PRIu64 "/offset", folder, asked->region);
    const bool map = access(path, F_OK) == 0;
    int file = uio->file;
    off_t at = 0;
    if (map) { /* the kernel maps whole pages; map M is asked for by an offset of M pages */
        if (rts_linux_line(path, line, sizeof line) && strncmp(line, "0x", 2) == 0) {
            (void)rts_linux_number(line + 2, 16, &lead);
        }
        at = (off_t)asked->region * (off_t)sysconf(_SC_PAGESIZE);
    } else {
        (void)snprintf(path, sizeof path, "%s/device/resource%" PRIu64, folder, asked->region);
        file = open(path, O_RDWR | O_SYNC | O_CLOEXEC);
    }
    const size_t before = (size_t)(lead + asked->offset);
    uio->mapped = before + sizeof *uio->acknowledge;
    void *const mapped = file < 0 ? MAP_FAILED : mmap(NULL, uio->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, at);
    const int error = errno;
    if (!map && file >= 0) {
        (void)close(file);
    }
    if (mapped == MAP_FAILED) {
        return refuse(uio, status_of(error), "the register at %" PRIx64 " of region %" PRIu64 " cannot be mapped: %s",
                      asked->offset, asked->region, strerror(error));
    }
    uio->mapping = mapped;
    uio->acknowledge = (volatile uint32_t *)(void *)((unsigned char *)mapped + before);
    uio->value = (uint32_t)asked->value;
    return RTS_OK;
}

bool rts_uio_enable(rts_uio *uio)
{
    const int32_t on = 1;
    if (uio->acknowledge != NULL) {
        *uio->acknowledge = uio->value;
    }
    if (uio->config >= 0) {
        return pwrite(uio->config, uio->command, sizeof uio->command, COMMAND) == (ssize_t)sizeof uio->command;
    }
    return !uio->masks || write(uio->file, &on, sizeof on) == (ssize_t)sizeof on;
}

/** Opens what unmasks the interrupts of uio_pci_generic. False: errno says why. */
static bool open_config(rts_uio *uio, const char *folder)
{
    char path[80];
    (void)snprintf(path, sizeof path, "%s/device/config", folder);
    uio->config = open(path, O_RDWR | O_CLOEXEC);
    if (uio->config < 0 ||
        pread(uio->config, uio->command, sizeof uio->command, COMMAND) != (ssize_t)sizeof uio->command) {
        return false;
    }
    uio->command[1] &= (uint8_t)~INTX_MASKED;
    return true;
}

/** Begins to stamp the handler's entries and to count from here. */
static rts_status begin(rts_uio *uio, const char *folder, int64_t interrupt, const char *driver)
{
    char path[80];
    int64_t count = 0;
    rts_status status = rts_system_split();
    if (status != RTS_OK) {
        return refuse(uio, status, "the interrupts of %s cannot be stamped: %s", uio->name, rts_system_split_why_not());
    }
    rts_linux_split_line((int32_t)interrupt, driver);
    uio->stamped = true;
    status = rts_linux_split_attach(true);
    if (status != RTS_OK) {
        return refuse(uio, status, "the BPF programs cannot be attached to irq_handler_entry");
    }
    (void)snprintf(path, sizeof path, "%s/event", folder);
    (void)rts_linux_integer(path, &count);
    uio->count = (uint32_t)count;
    uio->entries = rts_linux_split_entries();
    uio->masks = true;
    if ((strcmp(driver, GENERIC) == 0 && !open_config(uio, folder)) || !rts_uio_enable(uio)) {
        if (errno != ENOSYS) { /* that driver has nothing to enable */
            return refuse(uio, status_of(errno), "%s does not let interrupts through: %s", uio->name, strerror(errno));
        }
        uio->masks = false;
    }
    return RTS_OK;
}

rts_status rts_uio_open(rts_uio *uio, const char *text)
{
    char folder[64];
    char path[80];
    char driver[64];
    place asked = {0};
    int64_t own = -1;
    int64_t interrupt = -1;
    uio->file = -1;
    uio->config = -1;
    if (!parse(text, &asked)) {
        return refuse(uio, RTS_INVALID, "%s is no UIO device, as in uio:/dev/uio0 or uio:/dev/uio0+0/64:1", text);
    }
    (void)snprintf(folder, sizeof folder, "/sys/class/uio/uio%" PRIu64, asked.device);
    (void)snprintf(path, sizeof path, "%s/name", folder);
    if (!rts_linux_line(path, driver, sizeof driver)) {
        return refuse(uio, RTS_UNSUPPORTED, "there is no UIO device /dev/uio%" PRIu64, asked.device);
    }
    (void)snprintf(path, sizeof path, "%s/device/irq", folder);
    (void)rts_linux_integer(path, &own);
    const unsigned several = find_interrupt(driver, own, &interrupt);
    (void)snprintf(path, sizeof path, "/dev/uio%" PRIu64, asked.device);
    if (several != 1) {
        return refuse(uio, RTS_UNSUPPORTED,
                      "%s (%.60s) cannot be identified by its interrupt: %u handlers have that name", path, driver,
                      several);
    }
    const int user = user_of(path);
    if (user != 0) {
        return refuse(uio, RTS_UNSUPPORTED, "%s is busy: process %d has it open", path, user);
    }
    uio->file = open(path, O_RDWR | O_CLOEXEC);
    if (uio->file < 0) {
        return refuse(uio, status_of(errno), "cannot open %s: %s", path, strerror(errno));
    }
    (void)snprintf(uio->name, sizeof uio->name, "%s (%.40s, interrupt %" PRId64 ")", path, driver, interrupt);
    const rts_status status = asked.acknowledged ? map_register(uio, folder, &asked) : RTS_OK;
    return status == RTS_OK ? begin(uio, folder, interrupt, driver) : status;
}

/** The intervals up to these interrupts, from the one before them on if its stamp is known. */
static void note_intervals(rts_uio *uio, uint32_t came)
{
    for (uint32_t i = 0; i < came; i++) {
        const rts_ticks stamp = rts_linux_split_entered(uio->entries + i);
        if (uio->last != 0) {
            const uint64_t interval = stamp - uio->last;
            uio->least = uio->least == 0 || interval < uio->least ? interval : uio->least;
            uio->most = interval > uio->most ? interval : uio->most;
        }
        uio->last = stamp;
    }
}

rts_uio_outcome rts_uio_wait(rts_uio *uio, int ms, rts_ticks *resumed, uint64_t *number, rts_ticks *stamp)
{
    struct pollfd one = {.fd = uio->file, .events = POLLIN};
    int32_t count = 0;
    const int ready = poll(&one, 1, ms);
    const ssize_t got = ready > 0 ? read(uio->file, &count, sizeof count) : 0;
    *resumed = rts_timer_clock_read();
    if (ready <= 0) {
        return ready < 0 && errno != EINTR ? RTS_UIO_GONE : RTS_UIO_NOTHING;
    }
    if (got != (ssize_t)sizeof count) {
        return RTS_UIO_GONE;
    }
    const uint64_t entries = rts_linux_split_entries();
    const uint32_t came = (uint32_t)count - uio->count;
    if (came == 0) { /* it came while the device was opened, and is in the count already */
        return RTS_UIO_NOTHING;
    }
    if (came > INT32_MAX) {
        uio->jumped = true;
        return RTS_UIO_GONE;
    }
    const bool matched = entries - uio->entries == came && came < RTS_SPLIT_ENTRIES;
    *stamp = matched ? rts_linux_split_entered(uio->entries) : 0;
    if (matched) {
        note_intervals(uio, came);
    } else {
        uio->last = 0;
    }
    uio->number += came;
    *number = uio->number;
    uio->count = (uint32_t)count;
    uio->entries = entries;
    return RTS_UIO_CAME;
}

void rts_uio_close(rts_uio *uio)
{
    if (uio->file < 0) {
        return;
    }
    if (uio->stamped) {
        (void)rts_linux_split_attach(false);
        rts_linux_split_line(-1, "");
        uio->stamped = false;
    }
    if (uio->mapping != NULL) {
        (void)munmap(uio->mapping, uio->mapped);
        uio->mapping = NULL;
        uio->acknowledge = NULL;
    }
    if (uio->config >= 0) {
        (void)close(uio->config);
        uio->config = -1;
    }
    (void)close(uio->file);
    uio->file = -1;
}
