/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The network, started as EPICS does it (rtems_init.c), but without DHCP: the clients are in the same image, or the board has a link
 * with an address of its own.
 */
#include <rtems.h>
#include <rtems/bsd/bsd.h>
#include <sysexits.h>

#include "ioc.h"

static volatile bool looked_at;
static bool is_preemptible;

/** Runs in the timer server: a task alone changes its mode. */
static void timer_server_mode(rtems_id timer, void *unused)
{
    rtems_mode mode = 0;
    (void)timer;
    (void)unused;
#if defined(RTS_RTEMS_IOC_PREEMPTIBLE)
    (void)rtems_task_mode(RTEMS_PREEMPT, RTEMS_PREEMPT_MASK, &mode);
#endif
    looked_at = rtems_task_mode(RTEMS_CURRENT_MODE, RTEMS_CURRENT_MODE, &mode) == RTEMS_SUCCESSFUL;
    is_preemptible = (mode & RTEMS_PREEMPT_MASK) == RTEMS_PREEMPT;
}

bool network_timer_is_preemptible(void)
{
    return is_preemptible;
}

bool network_start(const char **why)
{
    rtems_task_priority before;
    rtems_id timer;
    *why = "libbsd does not initialize";
    /* Its own tasks run first. */
    if (rtems_task_set_priority(RTEMS_SELF, RTEMS_MAXIMUM_PRIORITY - 1u, &before) != RTEMS_SUCCESSFUL ||
        rtems_bsd_initialize() != RTEMS_SUCCESSFUL) {
        return false;
    }
    *why = "RTEMS' timer server does not answer";
    if (rtems_timer_create(rtems_build_name('r', 'm', 'o', 'd'), &timer) != RTEMS_SUCCESSFUL ||
        rtems_timer_server_fire_after(timer, 1, timer_server_mode, NULL) != RTEMS_SUCCESSFUL) {
        return false;
    }
    (void)rtems_task_wake_after(2); /* the timer of callouts allocates what it needs */
    if (!looked_at) {
        return false;
    }
    *why = "the loopback interface gets no address";
    if (rtems_bsd_ifconfig_lo0() != EX_OK) {
        return false;
    }
#if defined(RTS_RTEMS_IOC_LINK)
    return link_start(why);
#else
    return true;
#endif
}
