/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Gives a PCI device to a driver that does not know it.
 */
#ifndef GUEST_BIND_H
#define GUEST_BIND_H

#include <stdbool.h>

/** Binds a device ("0000:00:09.0") to a driver that is loaded, by the name that it gives itself, whatever the device calls itself. False with errno: ENODEV, the driver refused it. */
bool guest_bind(const char *device, const char *driver);

#endif
