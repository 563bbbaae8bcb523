/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How the IOC's process is doing, as sites watch every IOC.
 */
#ifndef RTSTONE_IOC_HEALTH_H
#define RTSTONE_IOC_HEALTH_H

#include "interface.h"

/** Seconds, percent of one CPU since the last call, kB, counts. SAMPLER_NO_VALUE: this system does not report it; SAMPLER_INVALID: none of these. */
sampler_status health_read(sampler_reason reason, double *value);

#endif
