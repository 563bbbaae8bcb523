/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * The device of the measured interrupt.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include "probe.h"

int probe_device_init(const struct probe_source *source);
void probe_device_exit(void);

#endif
