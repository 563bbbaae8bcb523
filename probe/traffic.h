/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * The device of the load's interrupts, beside that of the measured one.
 */
#ifndef TRAFFIC_H
#define TRAFFIC_H

/* Takes the 16550 at that place of the PCI bus ("0000:00:02.0"), whoever has it; -errno if there is none. */
int traffic_init(const char *place);
void traffic_exit(void);

#endif
