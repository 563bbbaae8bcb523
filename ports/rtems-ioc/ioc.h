/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The IOC of the image, and the console on which it writes.
 */
#ifndef RTSTONE_RTEMS_IOC_H
#define RTSTONE_RTEMS_IOC_H

#include <stdbool.h>

#define IOC_RECORDS 5000 /* as many as the paper has */

/** Starts libbsd's network with the loopback interface, and the link if the board has one. False, with a reason, when that fails. */
bool network_start(const char **why);

/**
 * On a board with a link to the host (RTS_RTEMS_IOC_LINK), which has these: brings up its network device, and counts the interrupts of it
 * (place_rtems.h). False, with a reason, when that fails.
 */
bool link_start(const char **why);

/** The address of that device, and the port that the host forwards to it, once it is up. */
const char *link_address(void);
unsigned link_port(void);

/** Whether any task can preempt RTEMS' timer server, as the network has started it. */
bool network_timer_is_preemptible(void);

/** Starts the IOC with the load's records, and the threads of its clients, or the records for clients on the host. False, with a reason, when that fails. */
bool ioc_start(const char **why);

/** Keeps the end of the console's output, from now on. */
void console_keep(void);

/** The last lines of it, on one line. */
const char *console_last(void);

#endif
