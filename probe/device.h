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

#ifdef CONFIG_PCI
/* Programmed I/O to a memory region of the PCI device at that place ("0000:00:04.0/2"); -errno if it cannot be had. */
int probe_window_init(const char *place);
void probe_window_exit(void);
#else
static inline int probe_window_init(const char *place)
{
	return -EOPNOTSUPP;
}

static inline void probe_window_exit(void)
{
}
#endif

#endif
