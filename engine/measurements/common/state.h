/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Checks at compile time that a measurement's state fits into the room that the port gives it.
 */
#ifndef RTSTONE_MEASUREMENTS_STATE_H
#define RTSTONE_MEASUREMENTS_STATE_H

#include "rtstone/port.h"

#define RTS_STATE_FITS(type)                                                                                           \
    _Static_assert(sizeof(type) <= RTS_PORT_STATE_BYTES, "RTS_PORT_STATE_BYTES is too small for this measurement")

#endif
