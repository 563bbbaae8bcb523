/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Keeps UDP on the loopback interface too: the libraries of Channel Access and PV Access bind some of their sockets to all addresses, whatever the
 * environment says.
 */
#ifndef RTSTONE_IOC_LOOPBACK_ONLY_H
#define RTSTONE_IOC_LOOPBACK_ONLY_H

/**
 * From now on each UDP socket hears and reaches the loopback interface alone. Nothing, where the environment names any address
 * beyond it, for servers or clients, or on a system that cannot. Before any library opens a socket.
 */
void loopback_only_begin(void);

#endif
