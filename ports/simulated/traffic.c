/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The simulated kernel has one interrupt, the measured one: no load can raise others.
 */
#include "kernel.h"

rts_status rts_port_traffic_start(const rts_traffic_spec *spec)
{
    (void)spec;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_traffic_wait(rts_traffic_source source, uint8_t *byte)
{
    (void)source;
    (void)byte;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_traffic_stop(rts_traffic_counts *counts)
{
    (void)counts;
    return RTS_UNSUPPORTED;
}
