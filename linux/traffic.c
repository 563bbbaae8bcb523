/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Interrupts for a load: the probe module's second device, whose handlers release the semaphores that a wait sleeps on.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../probe/rtstone_probe.h"
#include "files.h"

_Static_assert((int)RTSTONE_TRAFFIC_TIMER == (int)RTS_TRAFFIC_TIMER &&
                   (int)RTSTONE_TRAFFIC_LINE == (int)RTS_TRAFFIC_LINE,
               "the module and the engine number the sources alike");

static int device = -1;

rts_status rts_system_traffic(void)
{
    static bool tried;
    static int error;
    if (!tried) {
        tried = true;
        device = open("/dev/" RTSTONE_TRAFFIC_DEVICE, O_RDONLY | O_CLOEXEC);
        error = device < 0 ? errno : 0;
    }
    if (device >= 0) {
        return RTS_OK;
    }
    return error == EACCES || error == EPERM ? RTS_DENIED : RTS_UNSUPPORTED;
}

rts_status rts_port_traffic_start(const rts_traffic_spec *spec)
{
    const struct rtstone_traffic_start start = {.seed = spec->seed, .rate_hz = spec->rate_hz, .cpu = spec->cpu};
    if (spec->consume != NULL) {
        return RTS_INVALID; /* there are threads */
    }
    return ioctl(device, RTSTONE_TRAFFIC_START, &start) == 0 ? RTS_OK : rts_system_status(errno);
}

rts_status rts_port_traffic_wait(rts_traffic_source source, uint8_t *byte)
{
    struct rtstone_traffic_event next = {.source = (uint32_t)source};
    while (ioctl(device, RTSTONE_TRAFFIC_WAIT, &next) != 0) {
        if (errno == ECANCELED) {
            return RTS_INTERRUPTED;
        }
        if (errno != EINTR) {
            return rts_system_status(errno);
        }
    }
    *byte = (uint8_t)next.byte;
    return RTS_OK;
}

rts_status rts_port_traffic_stop(rts_traffic_counts *counts)
{
    struct rtstone_traffic_counts told;
    if (ioctl(device, RTSTONE_TRAFFIC_STOP, &told) != 0) {
        return rts_system_status(errno);
    }
    for (uint32_t i = 0; i < RTS_TRAFFIC_SOURCES; i++) {
        counts->interrupts[i] = told.interrupts[i];
        counts->events[i] = told.events[i];
        counts->lost[i] = told.lost[i];
    }
    counts->sent = told.sent;
    return RTS_OK;
}
