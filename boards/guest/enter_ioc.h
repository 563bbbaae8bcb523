/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * An IOC in the guest, whose process the engine then measures in.
 */
#ifndef GUEST_ENTER_IOC_H
#define GUEST_ENTER_IOC_H

#include <stdbool.h>

/** True if the RAM disk carries an IOC. */
bool guest_has_ioc(void);

/**
 * Becomes the IOC, which runs the engine on the plan once it serves. Its environment is the RAM disk's file of it, lines NAME=VALUE, and where
 * records go and the probe module's device, which may be NULL. Returns, with errno, only if it cannot.
 */
void guest_enter_ioc(const char *records, const char *probe, const char *plan);

#endif
