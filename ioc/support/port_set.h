/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A set of raw samples: made, filled, copied.
 */
#ifndef RTSTONE_IOC_PORT_SET_H
#define RTSTONE_IOC_PORT_SET_H

#include "port.h"

/** Allocates memory for `room` samples; 0: there is not enough memory. */
int port_set_create(port_set *set, epicsInt32 room);

void port_set_clear(port_set *set);

/** Adds a sample, taken during a burst of the load (1) or not (0). There must be room. */
void port_set_add(port_set *set, const delayMeasure *sample, unsigned burst);

/** Copies values, not memory. */
void port_set_copy(port_set *to, const port_set *from);

#endif
