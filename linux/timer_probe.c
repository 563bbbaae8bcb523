/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Source "probe" of the measured interrupt: a kernel module whose handler stamps it and releases the semaphore that a read waits for.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../probe/rtstone_probe.h"
#include "files.h"
#include "timer_routine.h"

static int device = -1;
static uint32_t can;
static char interrupts_from[sizeof((struct rtstone_probe_info *)0)->source + 1u];

/** Names of the module's sources, the first of which is every port's: which bottom half the handler leaves the rest to, and who raises the interrupt. */
static const struct probe_way {
    const char *name;
    uint32_t bottom;
    bool software;
} ways[] = {
    {"default", RTSTONE_PROBE_BOTTOM_THREAD, false},
    {"probe", RTSTONE_PROBE_BOTTOM_THREAD, false},
    {"tasklet", RTSTONE_PROBE_BOTTOM_TASKLET, false},
    {"workqueue", RTSTONE_PROBE_BOTTOM_WORKQUEUE, false},
    {"software", RTSTONE_PROBE_BOTTOM_THREAD, true},
    {"software-tasklet", RTSTONE_PROBE_BOTTOM_TASKLET, true},
    {"software-workqueue", RTSTONE_PROBE_BOTTOM_WORKQUEUE, true},
};

static const struct probe_way *find(const char *name)
{
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (strcmp(name, ways[i].name) == 0) {
            return &ways[i];
        }
    }
    return NULL;
}

rts_timer_answer rts_port_timer_answer(const char *source)
{
    const struct probe_way *const way = find(source);
    if (way == NULL || (can & (way->software ? RTSTONE_PROBE_CAN_TRIGGER : RTSTONE_PROBE_CAN_PERIOD)) == 0u) {
        return RTS_TIMER_ENGINE;
    }
    return way->software ? RTS_TIMER_KERNEL_RAISED : RTS_TIMER_KERNEL;
}

const char *rts_port_timer_why_not(const rts_timer_spec *spec, bool in_kernel)
{
    const struct probe_way *const way = find(spec->source);
    if (rts_port_timer_answer(spec->source) != RTS_TIMER_ENGINE) {
        return NULL;
    }
    if (way != NULL && way != &ways[0]) {
        return "no kernel module answers the interrupt here, and only that has this source: build and load probe/ "
               "(probe/README.md says how)";
    }
    if (in_kernel) {
        return "only a driver's handler has a thread of the kernel dispatched, and none answers the interrupt here: build and "
               "load probe/ (probe/README.md says how)";
    }
    return spec->path != RTS_TIMER_SIGNALLED
               ? NULL
               : "only a kernel module's bottom half can send the signal, and none answers the interrupt here: build and "
                 "load probe/ (probe/README.md says how)";
}

rts_status rts_system_probe_open(const char *path, bool *counter, const char **why)
{
    struct rtstone_probe_info info;
    device = open(path, O_RDONLY | O_CLOEXEC);
    if (device < 0) {
        *why = errno == ENOENT   ? "no such device: is the module rtstone_probe loaded?"
               : errno == EBUSY  ? "another run is using it"
               : errno == EPERM  ? "it takes CAP_SYS_NICE"
               : errno == EACCES ? "its owner or group alone may open it"
                                 : "it cannot be opened";
        return rts_system_status(errno);
    }
    if (ioctl(device, RTSTONE_PROBE_INFO, &info) != 0) {
        *why = "it is not the device of rtstone_probe";
        return RTS_INVALID;
    }
    if (info.abi != RTSTONE_PROBE_ABI) {
        *why = "the module and this engine are of different versions";
        return RTS_INVALID;
    }
    if ((info.can & RTSTONE_PROBE_ASSERTION_UNKNOWN) != 0u) {
        *why =
            "its line is raised from outside, so that when it was is not known: wire a line to it that the module raises (gpio_out)";
        return RTS_UNSUPPORTED;
    }
    can = info.can;
    memcpy(interrupts_from, info.source, sizeof info.source);
    *counter = info.clock == RTSTONE_PROBE_CLOCK_COUNTER;
    return RTS_OK;
}

void rts_system_probe_close(void)
{
    if (device >= 0) {
        (void)close(device);
    }
    device = -1;
    can = 0;
}

bool rts_linux_probe_used(void)
{
    return device >= 0;
}

void rts_linux_describe_probe(rts_fact_fn fact, void *arg)
{
    if (interrupts_from[0] != '\0') {
        fact(arg, "probe.source", interrupts_from);
    }
}

static rts_status receive(int signal_number)
{
    const __s32 number = signal_number;
    /* A thread that a signal notifies does not wait in read(): the data must be there already. */
    if (fcntl(device, F_SETFL, signal_number != 0 ? O_NONBLOCK : 0) != 0) {
        return rts_system_status(errno);
    }
    return ioctl(device, RTSTONE_PROBE_RECEIVE, &number) == 0 ? RTS_OK : rts_system_status(errno);
}

static void tell(const struct rtstone_probe_sample *sample, rts_timer_stamps *stamps)
{
    stamps->asserted = sample->asserted;
    stamps->entered = sample->entered;
    stamps->deferred = sample->bottom;
    stamps->routine = 0;
    stamps->released = sample->released;
    stamps->lost = sample->lost;
}

static rts_status take(rts_timer_stamps *stamps)
{
    struct rtstone_probe_sample sample;
    ssize_t got;
    do {
        got = read(device, &sample, sizeof sample);
    } while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof sample) {
        return got < 0 && errno == EAGAIN ? RTS_BROKEN : RTS_FAILED;
    }
    tell(&sample, stamps);
    return RTS_OK;
}

static const rts_linux_routine_module module = {.receive = receive, .take = take};

rts_status rts_system_probe_start(const rts_timer_spec *spec)
{
    const struct probe_way *const way = find(spec->source);
    const bool deferred = spec->path != RTS_TIMER_DIRECT;
    if (way == NULL) {
        return RTS_INVALID;
    }
    const uint32_t flags = (way->software ? RTSTONE_PROBE_SOFTWARE : 0u) |
                           (spec->path == RTS_TIMER_SIGNALLED ? RTSTONE_PROBE_SIGNAL : 0u) |
                           (spec->unstamped ? RTSTONE_PROBE_UNSTAMPED : 0u);
    const struct rtstone_probe_start start = {
        .period = way->software ? 0u : spec->period,
        .phase = way->software ? 0u : spec->phase,
        .cpu = spec->cpu,
        .bottom = deferred ? way->bottom : RTSTONE_PROBE_BOTTOM_NONE,
        .flags = flags,
        /* A thread in the place of a bottom half stands where the engine's own stands on other kernels. */
        .priority = rts_port_priority_native(RTS_PRIORITY_TOP, spec->sched),
    };
    const bool signalled = spec->path == RTS_TIMER_SIGNALLED;
    const rts_status receiver = signalled ? rts_linux_routine_begin(spec, &module) : RTS_OK;
    if (receiver != RTS_OK) {
        return receiver;
    }
    const rts_status status = ioctl(device, RTSTONE_PROBE_START, &start) == 0 ? RTS_OK : rts_system_status(errno);
    if (status != RTS_OK && signalled) {
        (void)rts_linux_routine_end();
    }
    return status;
}

rts_status rts_port_timer_raise(void)
{
    return ioctl(device, RTSTONE_PROBE_TRIGGER) == 0 ? RTS_OK : rts_system_status(errno);
}

rts_status rts_port_timer_wait(rts_timer_stamps *stamps)
{
    if (rts_linux_routine_there()) {
        return rts_linux_routine_wait(stamps);
    }
    struct rtstone_probe_sample sample;
    ssize_t got = 0;
    for (;;) {
        got = read(device, &sample, sizeof sample);
        stamps->resumed = rts_timer_clock_read();
        if (got == (ssize_t)sizeof sample) {
            tell(&sample, stamps);
            return RTS_OK;
        }
        if (got >= 0) {
            return RTS_BROKEN; /* the device gives whole samples only */
        }
        if (errno != EINTR) {
            return rts_system_status(errno);
        }
        if (rts_port_interrupted()) {
            return RTS_INTERRUPTED;
        }
    }
}

rts_status rts_system_probe_stop(void)
{
    const rts_status status = ioctl(device, RTSTONE_PROBE_STOP) == 0 ? RTS_OK : rts_system_status(errno);
    const rts_status routine = rts_linux_routine_there() ? rts_linux_routine_end() : RTS_OK;
    return status != RTS_OK ? status : routine;
}
