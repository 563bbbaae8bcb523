/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Names of the services, as records give them.
 */
#ifndef RTS_SERVICES_H
#define RTS_SERVICES_H

#include "rtstone/port.h"

/** The name of a service, "thread-suspend". */
const char *rts_service_name(rts_service service);

/** First service of a set (bits 1u << RTS_SERVICE_…) that the port does not support, with its status; RTS_OK when it has them all. */
rts_status rts_services_missing(uint32_t services, rts_service *missing);

#endif
