/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The thread that calls a port's sampler, and the calls between it and the port. All but port_thread_start are called with the port's lock held.
 */
#ifndef RTSTONE_IOC_PORT_THREAD_H
#define RTSTONE_IOC_PORT_THREAD_H

#include "port.h"

/** Starts it; 0 when it cannot be made. */
int port_thread_start(port *own);

/** Another state, and records that see it. */
void port_enter(port *own, port_state state, const char *message);

/** Ends the set in `filling`: adds it to the statistics and hands it to the records. Nothing, if it is empty or the last set has not been taken over. */
void port_complete(port *own);

/** Hands the statistics and `filling`, as they are, to the records. */
void port_publish(port *own);

#endif
