/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The threads that serve the network, which the load `ioc-above` raises. Each system has its own (network_linux.c).
 */
#ifndef RTSTONE_IOC_NETWORK_THREADS_H
#define RTSTONE_IOC_NETWORK_THREADS_H

#include <stdbool.h>

#include "rtstone/load.h"

/** The reason, one sentence, if the system has no such threads. */
extern const char ioc_network_threads_need[];

/** Whether the network is served by threads that can be raised. */
bool ioc_network_threads_there(void);

/** Raises them above all that is measured; returns their number. */
unsigned ioc_network_threads_raise(void);

/** Restores their earlier priorities. */
void ioc_network_threads_restore(void);

/** Reports how many were raised, and to which priority. */
void ioc_network_threads_achieved(rts_load_fact_fn fact, void *arg);

#endif
