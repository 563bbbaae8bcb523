/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The probe module's VMEbus source in a guest whose kernel plays the bridge: it generates the interrupt and answers it itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe_exercise.h"

static int unload_bridge(void)
{
    return (int)syscall(SYS_delete_module, "vme_fake", O_NONBLOCK);
}

/** Each bottom half: every interrupt that was raised comes once, its stamps in order. */
static void stamps(int device)
{
    for (unsigned bottom = 0; bottom < RTSTONE_PROBE_BOTTOMS; bottom++) {
        const struct rtstone_probe_start start = every_ms(bottom, RTSTONE_PROBE_SOFTWARE);
        unsigned long long before = 0;
        int good = ioctl(device, RTSTONE_PROBE_START, &start) == 0;
        for (int i = 0; i < 100 && good; i++) {
            struct rtstone_probe_sample s;
            good = ioctl(device, RTSTONE_PROBE_TRIGGER) == 0 && next(device, &s);
            good = good && before < s.asserted && s.asserted <= s.entered && s.lost == 0;
            good = good && (bottom == 0 ? s.bottom == 0 && s.entered <= s.released
                                        : s.entered <= s.bottom && s.bottom <= s.released);
            before = s.asserted;
        }
        tell(good, "stamps are in order, each interrupt once");
    }
}

void try_sources(void)
{
    of = "vme";
    tell(load("source=vme") != 0, "needs a bridge");
    tell(load_module("vme", "") == 0 && load_module("vme_fake", "") == 0, "has a bridge");
    tell(load("source=vme vme_bus=1") != 0 && errno == ENODEV, "needs a bus that there is");
    tell(load("source=vme vme_level=0") != 0 && errno == EINVAL, "refuses level 0");
    tell(load("source=vme vme_level=8") != 0 && errno == EINVAL, "refuses level 8");
    tell(load("source=vme vme_vector=256") != 0 && errno == EINVAL, "refuses a vector beyond 8 bits");
    for (int again = 0; again < 2; again++) {
        tell(load(again == 0 ? "source=vme" : "source=vme vme_level=7 vme_vector=0") == 0, "loads");
        const int device = opened();
        tell(device >= 0 && ioctl(device, RTSTONE_PROBE_INFO, &info) == 0 && strcmp(info.source, "vme") == 0 &&
                 info.can == RTSTONE_PROBE_CAN_TRIGGER,
             "says that its interrupts are raised one by one");
        const struct rtstone_probe_start periodic = every_ms(1, 0);
        tell(ioctl(device, RTSTONE_PROBE_START, &periodic) != 0 && errno == EOPNOTSUPP, "has no periods");
        stamps(device);
        by_software(device);
        tell(unload() != 0, "stays while it is open");
        const struct rtstone_probe_start start = every_ms(1, RTSTONE_PROBE_SOFTWARE);
        (void)ioctl(device, RTSTONE_PROBE_START, &start);
        (void)ioctl(device, RTSTONE_PROBE_TRIGGER);
        (void)close(device);
        tell(unload() == 0, "unloads after a run that was not stopped");
    }
    tell(unload_bridge() == 0, "leaves the bridge free");
}
