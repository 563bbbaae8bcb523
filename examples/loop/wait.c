/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The ways in which a loop waits for its next due time: each as programs do it that use it.
 */
#include "wait.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "threads.h"

/* ---- clock_nanosleep until an absolute time ---- */

static bool nanosleep_until(uint64_t cycle, uint64_t due_ns)
{
    (void)cycle;
    const struct timespec due = timespec_of(due_ns);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR) {
        if (stop_requested()) {
            return false;
        }
    }
    return true;
}

/* ---- A periodic timerfd, which counts its expirations ---- */

static int timer = -1;
static uint64_t expired; /* counted by the timer so far: the first is cycle 0 */

static int timerfd_open(uint64_t base_ns, uint64_t period_ns)
{
    const struct itimerspec spec = {.it_value = timespec_of(base_ns), .it_interval = timespec_of(period_ns)};
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    return timer >= 0 && timerfd_settime(timer, TFD_TIMER_ABSTIME, &spec, NULL) == 0 ? 0 : errno;
}

static bool timerfd_until(uint64_t cycle, uint64_t due_ns)
{
    (void)due_ns;
    while (expired <= cycle) {
        uint64_t more = 0;
        if (read(timer, &more, sizeof more) == (ssize_t)sizeof more) {
            expired += more;
        } else if (stop_requested()) {
            return false;
        }
    }
    return true;
}

/* ---- epoll with a timeout, on a descriptor that never becomes ready ---- */

static int events = -1;

static int epoll_open(uint64_t base_ns, uint64_t period_ns)
{
    (void)base_ns;
    (void)period_ns;
    const int never = eventfd(0, EFD_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    events = epoll_create1(EPOLL_CLOEXEC);
    if (never < 0 || events < 0 || epoll_ctl(events, EPOLL_CTL_ADD, never, &event) != 0) {
        return errno;
    }
    /* Linux 5.11 and newer */
    const struct timespec none = {0};
    return epoll_pwait2(events, &event, 1, &none, NULL) == 0 ? 0 : errno;
}

static bool epoll_until(uint64_t cycle, uint64_t due_ns)
{
    (void)cycle;
    for (uint64_t now = now_ns(); now < due_ns; now = now_ns()) {
        const struct timespec left = timespec_of(due_ns - now);
        struct epoll_event event;
        (void)epoll_pwait2(events, &event, 1, &left, NULL);
        if (stop_requested()) {
            return false;
        }
    }
    return true;
}

/* ---- A futex with an absolute timeout ---- */

static bool futex_until(uint64_t cycle, uint64_t due_ns)
{
    (void)cycle;
    static uint32_t word;
    const struct timespec due = timespec_of(due_ns);
    while (now_ns() < due_ns) {
        (void)syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &due, NULL, FUTEX_BITSET_MATCH_ANY);
        if (stop_requested()) {
            return false;
        }
    }
    return true;
}

static const wait_kind kinds[] = {
    {.name = "nanosleep", .until = nanosleep_until},
    {.name = "timerfd", .open = timerfd_open, .until = timerfd_until},
    {.name = "epoll", .open = epoll_open, .until = epoll_until},
    {.name = "futex", .until = futex_until},
};

const wait_kind *wait_at(uint32_t index)
{
    return index < sizeof kinds / sizeof kinds[0] ? &kinds[index] : NULL;
}
