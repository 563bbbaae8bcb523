/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The port contract's functions about services: the kernel's table has the answers, and the board has those for its own devices.
 */
#include "board_hooks.h"

rts_status rts_port_supports(rts_service service)
{
    if (service == RTS_SERVICE_TRAFFIC) {
        return BOARD_HAS_TRAFFIC ? RTS_OK : RTS_UNSUPPORTED;
    }
    return rts_kernel_services[service].has ? RTS_OK : RTS_UNSUPPORTED;
}

const char *rts_port_substitute(rts_service service)
{
    return rts_port_supports(service) == RTS_OK ? rts_kernel_services[service].says : NULL;
}

const char *rts_port_why_not(rts_service service)
{
    switch (service) {
    case RTS_SERVICE_TRAFFIC:
        return BOARD_TRAFFIC_WHY_NOT;
    case RTS_SERVICE_CACHE_FLUSH:
        return "the emulated board has no caches";
    default:
        return rts_kernel_services[service].has ? NULL : rts_kernel_services[service].says;
    }
}
