/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the CPUs out of deep idle states: the kernel enforces that while this file is open, and no longer.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

#define PATH "/dev/cpu_dma_latency"

static int held = -1;
static int refused; /* errno of the attempt */
static int32_t before_us = -1;

/** True where there are idle states to keep out of. */
static bool idle_states(void)
{
    char driver[64];
    return rts_linux_line("/sys/devices/system/cpu/cpuidle/current_driver", driver, sizeof driver) &&
           strcmp(driver, "none") != 0;
}

void rts_system_block_deep_idle(void)
{
    if (held >= 0) {
        return;
    }
    refused = 0;
    held = open(PATH, O_RDWR | O_CLOEXEC);
    if (held < 0) {
        refused = errno;
        return;
    }
    if (read(held, &before_us, sizeof before_us) != (ssize_t)sizeof before_us) {
        before_us = -1;
    }
    const int32_t wanted_us = 0;
    if (write(held, &wanted_us, sizeof wanted_us) != (ssize_t)sizeof wanted_us) {
        refused = errno;
        (void)close(held);
        held = -1;
    }
}

void rts_system_degraded(rts_degraded_fn degraded, void *arg)
{
    if (held < 0 && (refused == EACCES || refused == EPERM) && idle_states()) {
        degraded(arg, "no-dma-latency", "the CPU may enter deep idle states, whose exits count as latency",
                 "sudo setfacl -m u:$USER:rw " PATH);
    }
}

void rts_linux_describe_latency(rts_fact_fn fact, void *arg)
{
    char text[64];
    if (held < 0) {
        return;
    }
    (void)snprintf(text, sizeof text, "0");
    fact(arg, "changed.cpu_dma_latency_us", text);
    if (before_us >= 0) {
        (void)snprintf(text, sizeof text, "%ld", (long)before_us);
        fact(arg, "changed.cpu_dma_latency_us.before", text);
    }
}

void rts_system_release(void)
{
    if (held >= 0) {
        (void)close(held);
        held = -1;
    }
}
