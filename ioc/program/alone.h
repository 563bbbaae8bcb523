/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whether this IOC would be the only one on its ports, and the only one with its names: EPICS would go on in silence.
 */
#ifndef RTSTONE_IOC_ALONE_H
#define RTSTONE_IOC_ALONE_H

/** Sets the environment so that nothing is served beyond the loopback interface, where it does not say otherwise. */
void alone_defaults(void);

/** Looks before iocInit opens the ports, and ends the program with exit code 3 when they are taken or the names are served already. */
void alone_check_at_init(void);

/** The same for PV Access's port; its server takes the port when its support is registered, before iocInit. */
void alone_check_pv_access(void);

#endif
