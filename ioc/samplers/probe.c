/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A sampler on the kernel module rtstone_probe: top half, bottom half, a user-level interrupt service routine by signal where asked for, and the
 * measuring task, each with its own clock reading.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../../probe/rtstone_probe.h"
#include "samplers.h"
#include "stream.h"

#define DEVICE "/dev/" RTSTONE_PROBE_DEVICE

typedef struct probe {
    char device[128];
    unsigned period_us; /* 0: by software */
    int32_t cpu;
    bool user_isr;
    int file;
    struct rtstone_probe_info info;
    pthread_t receiver;
    char text[256];
} probe;

/* The user-level interrupt service routine is a signal's handler, and knows nothing but what is static. */
static struct {
    sem_t released;
    _Atomic rts_ticks entered;
    _Atomic bool counter;
    _Atomic bool end;
} user_isr;

static rts_ticks now(bool counter)
{
    return counter ? rts_posix_counter_read() : rts_posix_monotonic();
}

static void on_interrupt(int signal)
{
    (void)signal;
    const rts_ticks entered = now(user_isr.counter);
    user_isr.entered = entered;
    (void)sem_post(&user_isr.released);
}

/** An operator's words, which name the device and its module. */
static const char *why(void *pvt, int error)
{
    probe *const own = pvt;
    char text[64];
    const char *said = text;
    switch (error) {
    case ENOENT:
        said = "no such device: is the module rtstone_probe loaded?";
        break;
    case EBUSY:
        said = "another program is using the module rtstone_probe";
        break;
    case EPROTO:
        said = "not the module rtstone_probe of this IOC's version";
        break;
    case EIO:
        said = "the module rtstone_probe gives no samples";
        break;
    case ENOBUFS:
        said = "the module rtstone_probe has lost interrupts: the period is too short for this machine";
        break;
    default:
        (void)snprintf(text, sizeof text, "the module rtstone_probe: %s", strerror(error));
        break;
    }
    (void)snprintf(own->text, sizeof own->text, "%s: %s", own->device, said);
    return own->text;
}

static int open_device(probe *own)
{
    own->file = open(own->device, O_RDONLY | O_CLOEXEC);
    if (own->file < 0) {
        return errno;
    }
    if (ioctl(own->file, RTSTONE_PROBE_INFO, &own->info) != 0 || own->info.abi != RTSTONE_PROBE_ABI ||
        own->info.hz == 0) {
        (void)close(own->file);
        own->file = -1;
        return EPROTO;
    }
    return 0;
}

/** Takes the signals, so that the measuring task is woken by what the routine releases, as in the paper. */
static void *receive(void *pvt)
{
    const probe *const own = pvt;
    const int signal = SIGRTMIN + 4;
    (void)ioctl(own->file, RTSTONE_PROBE_RECEIVE, &signal);
    (void)sem_post(&user_isr.released); /* ready */
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = 100000000};
    while (!user_isr.end) {
        (void)nanosleep(&moment, NULL);
    }
    return NULL;
}

static int start_receiver(probe *own)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGRTMIN + 4, &action, NULL);
    user_isr.counter = own->info.clock == RTSTONE_PROBE_CLOCK_COUNTER;
    user_isr.end = false;
    if (sem_init(&user_isr.released, 0, 0) != 0) {
        return errno;
    }
    /* It inherits the measuring task's class, priority and CPU. */
    const int error = pthread_create(&own->receiver, NULL, receive, own);
    if (error != 0) {
        return error;
    }
    while (sem_wait(&user_isr.released) != 0) {
    }
    return 0;
}

static void stop(void *pvt)
{
    probe *const own = pvt;
    (void)ioctl(own->file, RTSTONE_PROBE_STOP);
    if (own->user_isr) {
        user_isr.end = true;
        (void)pthread_join(own->receiver, NULL);
    }
    (void)close(own->file);
    own->file = -1;
}

static int start(void *pvt)
{
    probe *const own = pvt;
    int error = open_device(own);
    if (error != 0) {
        return error;
    }
    error = own->user_isr ? start_receiver(own) : 0;
    if (error != 0) {
        (void)close(own->file);
        own->file = -1;
        return error;
    }
    const struct rtstone_probe_start asked = {
        .period = (own->info.hz * own->period_us + 500000u) / 1000000u,
        .cpu = own->cpu,
        .bottom = RTSTONE_PROBE_BOTTOM_THREAD,
        .flags = (own->period_us == 0 ? RTSTONE_PROBE_SOFTWARE : 0u) | (own->user_isr ? RTSTONE_PROBE_SIGNAL : 0u),
    };
    if (ioctl(own->file, RTSTONE_PROBE_START, &asked) != 0) {
        error = errno;
        stop(own);
        return error;
    }
    return 0;
}

/** Ticks of the probe's clock in ns. */
static long to_ns(const probe *own, rts_ticks to, rts_ticks from)
{
    const int64_t ticks = (int64_t)(to - from);
    const int64_t hz = (int64_t)own->info.hz;
    return (long)(ticks / hz * 1000000000 + ticks % hz * 1000000000 / hz);
}

static int wait(void *pvt, delayMeasure *sample)
{
    probe *const own = pvt;
    const bool counter = own->info.clock == RTSTONE_PROBE_CLOCK_COUNTER;
    struct rtstone_probe_sample got;
    if (own->period_us == 0 && ioctl(own->file, RTSTONE_PROBE_TRIGGER) != 0) {
        return errno;
    }
    rts_ticks resumed = 0;
    if (own->user_isr) {
        while (sem_wait(&user_isr.released) != 0) {
        }
        resumed = now(counter);
    }
    ssize_t size = 0;
    while ((size = read(own->file, &got, sizeof got)) != (ssize_t)sizeof got) {
        if (size >= 0) {
            return EIO; /* the device gives whole samples only */
        }
        if (errno != EINTR) {
            return errno;
        }
    }
    if (!own->user_isr) {
        resumed = now(counter);
    }
    if (got.lost != 0) {
        return ENOBUFS;
    }
    sample->interruptLatency = to_ns(own, got.entered, got.asserted);
    sample->topToBottom = got.bottom == 0 ? DELAY_NOT_MEASURED : to_ns(own, got.bottom, got.entered);
    sample->bottomToUserInterrupt = DELAY_NOT_MEASURED;
    sample->contextSwitch = to_ns(own, resumed, got.released);
    if (own->user_isr) {
        sample->bottomToUserInterrupt = to_ns(own, user_isr.entered, got.bottom);
        sample->contextSwitch = to_ns(own, resumed, user_isr.entered);
    }
    sample->totalResponse = to_ns(own, resumed, got.asserted);
    return 0;
}

int probeSamplerConfigure(const char *name, const char *device, int period_us, int cpu, int with_user_isr)
{
    static const char call[] = "probeSamplerConfigure";
    static const stream_source source = {.start = start, .wait = wait, .stop = stop, .why = why};
    static bool there;
    int32_t resolved = 0;
    if (there) {
        return sampler_refuse(call, name, "there is one already, and the device has one user");
    }
    if (period_us != 0 && (period_us < 10 || period_us > 1000000)) {
        return sampler_refuse(call, name, "its period is 10 to 1000000 microseconds, or 0 for interrupts by software");
    }
    if (cpu < RTS_CPU_ANY || rts_port_cpu_resolve(cpu, &resolved) != RTS_OK) {
        return sampler_refuse(call, name, "there is no such CPU, or this process may not use it");
    }
    probe *const own = calloc(1, sizeof *own);
    if (own == NULL) {
        return sampler_refuse(call, name, "no memory");
    }
    (void)snprintf(own->device, sizeof own->device, "%s", device == NULL || device[0] == '\0' ? DEVICE : device);
    own->period_us = (unsigned)period_us;
    own->cpu = resolved;
    own->user_isr = with_user_isr != 0;
    const int error = open_device(own);
    if (error != 0) {
        (void)fprintf(stderr, "%s: sampler '%s': %s; the IOC goes on without it\n", call, name, why(own, error));
    } else {
        (void)close(own->file);
    }
    own->file = -1;
    stream *const made = stream_create(&source, own, resolved);
    if (made == NULL) {
        free(own);
        return sampler_refuse(call, name, "its measuring task cannot be made");
    }
    if (psamplerManager->registerSampler(name, stream_get, made) != 0) {
        return sampler_refuse(call, name, "the name is taken, empty or too long");
    }
    there = true;
    return 0;
}
