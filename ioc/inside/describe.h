/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the record stream says of the IOC that the engine is in.
 */
#ifndef RTSTONE_IOC_DESCRIBE_H
#define RTSTONE_IOC_DESCRIBE_H

#include "rtstone/port.h"

/** Reports EPICS' version, the number of records, locked memory where the system has such, and the threads of `parties.h`. */
void ioc_describe(rts_fact_fn fact, void *arg);

#endif
