/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The load `network`'s view of the kernel's network: interfaces, the name spaces they are in, and the interrupts that they raised.
 */
#ifndef RTSTONE_LINKS_H
#define RTSTONE_LINKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define LINK_NAME_BYTES 16u /* IFNAMSIZ */
#define LINK_PATH_BYTES 32u

/** The devices that a board has for the load. */
typedef struct link_names {
    char near_name[LINK_NAME_BYTES];
    char far_name[LINK_NAME_BYTES];
    char line[LINK_PATH_BYTES]; /**< a serial line's device */
} link_names;

/** Reads `rtstone.network=<near>,<far>,<line>` of the kernel's command line. False: this machine has nothing set aside. */
bool link_names_read(link_names *names);

/** Reads the device of `rtstone.outside=<near>,…`: it leads out of the board, so there is no far one, and no line. False: there is no such device. */
bool link_outside_read(link_names *names);

/** True if there is such an interface in this name space. */
bool link_exists(const char *name);

/** Moves an interface to the network name space of a process. */
bool link_move(const char *name, pid_t process);

/** Gives an interface an address (host order, /24) and brings it up. */
bool link_up(const char *name, uint32_t address);

/** True when an interface is up and has a carrier. */
bool link_runs(const char *name);

/** Interrupts of a device on all CPUs since the machine started, by its name in /proc/interrupts or its network vectors. 0: not there, or "". */
uint64_t link_interrupts(const char *name);

#endif
