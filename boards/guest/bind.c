/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Gives a PCI device to a driver that does not know it, by sysfs (Linux, Documentation/ABI/testing/sysfs-bus-pci: driver_override).
 */
#include "bind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PCI "/sys/bus/pci"

static bool tell(const char *path, const char *text)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    const ssize_t length = (ssize_t)strlen(text);
    const bool told = file >= 0 && write(file, text, (size_t)length) == length;
    const int error = errno;
    if (file >= 0) {
        (void)close(file);
    }
    errno = error;
    return told;
}

bool guest_bind(const char *device, const char *driver)
{
    char path[128];
    (void)snprintf(path, sizeof path, PCI "/devices/%s/driver_override", device);
    if (!tell(path, driver) || !tell(PCI "/drivers_probe", device)) {
        return false;
    }
    (void)snprintf(path, sizeof path, PCI "/drivers/%s/%s", driver, device);
    if (access(path, F_OK) != 0) {
        errno = ENODEV;
        return false;
    }
    return true;
}
