/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The list of all measurements, made from registry.def and the port's own list.
 */
#include "rtstone/measurement.h"

/* A port whose kernel has what no other can have measured names its list: its build defines RTS_PORT_MEASUREMENTS. */
#define RTS_MEASUREMENT(id) extern const rts_measurement rts_measurement_##id;
#include "registry.def"
#ifdef RTS_PORT_MEASUREMENTS
#include RTS_PORT_MEASUREMENTS
#endif
#undef RTS_MEASUREMENT

#define RTS_MEASUREMENT(id) &rts_measurement_##id,
const rts_measurement *const rts_measurements[] = {
#include "registry.def"
#ifdef RTS_PORT_MEASUREMENTS
#include RTS_PORT_MEASUREMENTS
#endif
};
#undef RTS_MEASUREMENT

const size_t rts_measurement_count = sizeof rts_measurements / sizeof rts_measurements[0];
