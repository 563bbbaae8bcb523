/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * [optional] Interrupts beside the measured one: RTS_SERVICE_TRAFFIC, and with it the load that every kernel of a board can have.
 */
#include "rtstone/port.h"

/*
 * [optional] A second timer whose handler writes one byte to a serial line, and that line's receiver, which gets the byte back; both below
 * the measured interrupt. Each handler releases a semaphore for each event, for which one thread waits. boards/common/traffic.c has
 * all of it but the hardware.
 */
rts_status rts_port_traffic_start(const rts_traffic_spec *spec)
{
    (void)spec;
    return RTS_UNSUPPORTED;
}

/* [optional] */
rts_status rts_port_traffic_wait(rts_traffic_source source, uint8_t *byte)
{
    (void)source;
    (void)byte;
    return RTS_UNSUPPORTED;
}

/* [optional] */
rts_status rts_port_traffic_stop(rts_traffic_counts *counts)
{
    (void)counts;
    return RTS_UNSUPPORTED;
}
