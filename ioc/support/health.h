/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How the IOC's process is doing, as sites watch every IOC.
 */
#ifndef RTSTONE_IOC_HEALTH_H
#define RTSTONE_IOC_HEALTH_H

#include "interface.h"

/** Before iocInit. */
void health_begin(void);

/** Seconds, percent of one CPU since the last call, kB, counts. SAMPLER_NO_VALUE: this system does not report it; SAMPLER_INVALID: none of these. */
sampler_status health_read(sampler_reason reason, double *value);

/*
 * What the system reports of this process (health_linux.c): seconds of CPU that it has used, its resident memory in kB, the files that it has open
 * and may have open. NaN: this system does not report it.
 */
double health_cpu_s(void);
double health_memory_kb(void);
double health_open_files(void);
double health_most_files(void);

#endif
