/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * The device of the load's interrupts, beside that of the measured one.
 */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include <linux/errno.h>

#ifdef CONFIG_PCI
/* Takes the 16550 at that place of the PCI bus ("0000:00:02.0") from its driver; -errno if that fails. */
int traffic_init(const char *place);
void traffic_exit(void);
#else
static inline int traffic_init(const char *place)
{
	return -EOPNOTSUPP;
}

static inline void traffic_exit(void)
{
}
#endif

#endif
