/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The network, started as EPICS does it (rtems_init.c), but without DHCP: the clients are in the same image, so no address is needed.
 */
#include <rtems.h>
#include <rtems/bsd/bsd.h>
#include <sysexits.h>

#include "ioc.h"

bool network_start(const char **why)
{
    rtems_task_priority before;
    *why = "libbsd does not initialize";
    /* Its own tasks run first. */
    if (rtems_task_set_priority(RTEMS_SELF, RTEMS_MAXIMUM_PRIORITY - 1u, &before) != RTEMS_SUCCESSFUL ||
        rtems_bsd_initialize() != RTEMS_SUCCESSFUL) {
        return false;
    }
    (void)rtems_task_wake_after(2); /* the timer of callouts allocates what it needs */
    *why = "the loopback interface gets no address";
    return rtems_bsd_ifconfig_lo0() == EX_OK;
}
