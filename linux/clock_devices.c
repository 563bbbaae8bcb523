/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads the HPET where /dev/hpet maps it (IA-PC HPET specification 1.0a, 2.3: capabilities and main counter), and a PTP clock by the clock id
 * that Linux derives from its open file.
 */
#include "clock_devices.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "system.h"

#define HPET_BYTES 1024u
#define HPET_CAPABILITIES (0x000u / 8u)
#define HPET_COUNTER (0x0f0u / 8u)
#define FEMTOSECONDS 1000000000000000u
#define FEMTOSECONDS_MOST 100000000u /* of a period, by the specification: 10 MHz at least */
#define NS_PER_S 1000000000u

static const volatile uint64_t *hpet;
static clockid_t ptp;

uint64_t rts_linux_hpet_open(void)
{
    if (hpet == NULL) {
        const int device = open("/dev/hpet", O_RDONLY | O_CLOEXEC);
        if (device < 0) {
            return 0;
        }
        void *mapped = mmap(NULL, HPET_BYTES, PROT_READ, MAP_SHARED, device, 0);
        (void)close(device);
        if (mapped == MAP_FAILED) {
            return 0;
        }
        hpet = mapped;
    }
    const uint64_t period = hpet[HPET_CAPABILITIES] >> 32;
    return period == 0u || period > FEMTOSECONDS_MOST ? 0 : (FEMTOSECONDS + period / 2u) / period;
}

uint64_t rts_linux_hpet_read(void)
{
    return hpet[HPET_COUNTER];
}

uint64_t rts_linux_ptp_open(void)
{
    static int device = -1;
    if (device < 0) {
        device = open("/dev/ptp0", O_RDONLY | O_CLOEXEC);
        if (device < 0) {
            return 0;
        }
        /* clock_gettime(2), "Dynamic clocks": the file's number, inverted, above the three bits that mark such a clock. */
        ptp = (clockid_t)(~(unsigned)device << 3 | 3u);
    }
    struct timespec now;
    return clock_gettime(ptp, &now) == 0 ? NS_PER_S : 0;
}

uint64_t rts_linux_ptp_read(void)
{
    return rts_system_clock_ns(ptp);
}

const rts_run_clock *rts_system_clock_device(size_t index)
{
    static const rts_run_clock devices[] = {
        {
            .name = "hpet",
            .summary = "the HPET, if this user may read /dev/hpet",
            .source = "the HPET's own period",
            .open = rts_linux_hpet_open,
            .read = rts_linux_hpet_read,
        },
        {
            .name = "ptp",
            .summary = "the first PTP clock, if this user may read /dev/ptp0",
            .source = "definition (the first PTP clock's nanoseconds)",
            .open = rts_linux_ptp_open,
            .read = rts_linux_ptp_read,
        },
    };
    return index < sizeof devices / sizeof devices[0] ? &devices[index] : NULL;
}
