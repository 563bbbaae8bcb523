/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The probe module's sources on the board arm64: its timer, the kernel's, and a GPIO line.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "probe_exercise.h"

/** A line from outside: the host presses the board's power button, which is wired to line 3. */
static void line_from_outside(void)
{
    of = "gpio";
    tell(load("source=gpio gpio_chip=9030000.pl061") != 0 && errno == EINVAL, "needs a line");
    tell(load("source=gpio gpio_chip=no-such-chip gpio_in=3") != 0, "needs a chip that there is");
    tell(load("source=gpio gpio_chip=9030000.pl061 gpio_in=3") == 0, "loads");
    const int device = opened();
    const struct rtstone_probe_start start = {.bottom = RTSTONE_PROBE_BOTTOM_THREAD, .period = 1000000};
    tell(ioctl(device, RTSTONE_PROBE_INFO, &info) == 0 && (info.can & RTSTONE_PROBE_ASSERTION_UNKNOWN) != 0,
         "says that it does not know when the line was raised");
    tell(ioctl(device, RTSTONE_PROBE_START, &start) == 0, "starts");
    for (int i = 0; i < 3; i++) {
        struct rtstone_probe_sample s;
        (void)poll(NULL, 0, 300); /* the button is let go after 100 ms */
        (void)puts("PRESS");
        (void)fflush(stdout);
        tell(next(device, &s) && s.asserted == s.entered && s.entered <= s.bottom && s.lost == 0,
             "an edge is an interrupt");
    }
    (void)close(device);
    tell(unload() == 0, "unloads");
}

void try_sources(void)
{
    of = "module";
    tell(load("source=nonsense") != 0 && errno == EINVAL, "refuses a source that there is not");
    tell(load("source=edu") != 0, "refuses a source that this machine has not");
    tell(load("line=nonsense") != 0, "refuses a serial line that there is not");
    exercise("source=arm-timer", "arm-timer");
    exercise("source=hrtimer", "hrtimer");
    line_from_outside();
}
