/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Source "probe" of the measured interrupt: a kernel module whose handler stamps it and releases the semaphore that a read waits for.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../../../probe/rtstone_probe.h"
#include "files.h"

static int device = -1;

rts_status rts_system_probe_open(const char *path, bool *counter, const char **why)
{
    struct rtstone_probe_info info;
    device = open(path, O_RDONLY | O_CLOEXEC);
    if (device < 0) {
        *why = errno == ENOENT  ? "no such device: is the module rtstone_probe loaded?"
               : errno == EBUSY ? "another run is using it"
                                : "it cannot be opened";
        return rts_posix_status(errno);
    }
    if (ioctl(device, RTSTONE_PROBE_INFO, &info) != 0) {
        *why = "it is not the device of rtstone_probe";
        return RTS_INVALID;
    }
    if (info.abi != RTSTONE_PROBE_ABI) {
        *why = "the module and this engine are of different versions";
        return RTS_INVALID;
    }
    *counter = info.clock == RTSTONE_PROBE_CLOCK_COUNTER;
    return RTS_OK;
}

rts_status rts_system_probe_start(const rts_timer_spec *spec)
{
    const struct rtstone_probe_start start = {.period = spec->period, .phase = spec->phase, .cpu = spec->cpu};
    return ioctl(device, RTSTONE_PROBE_START, &start) == 0 ? RTS_OK : rts_posix_status(errno);
}

rts_status rts_system_probe_wait(rts_timer_stamps *stamps)
{
    struct rtstone_probe_sample sample;
    while (read(device, &sample, sizeof sample) != (ssize_t)sizeof sample) {
        if (errno != EINTR) {
            return rts_posix_status(errno);
        }
        if (rts_port_interrupted()) {
            return RTS_INTERRUPTED;
        }
    }
    stamps->asserted = sample.asserted;
    stamps->entered = sample.entered;
    stamps->released = sample.released;
    stamps->lost = sample.lost;
    return RTS_OK;
}

rts_status rts_system_probe_stop(void)
{
    return ioctl(device, RTSTONE_PROBE_STOP) == 0 ? RTS_OK : rts_posix_status(errno);
}
