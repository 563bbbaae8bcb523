/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The guest's options in the kernel's command line, for its first program.
 */
#ifndef GUEST_COMMAND_LINE_H
#define GUEST_COMMAND_LINE_H

#include <stdbool.h>

#define GUEST_MODULES 8

/** A module and the parameters with which it is loaded; both point into the command line. */
typedef struct guest_module {
    const char *name;
    const char *parameters; /**< words with spaces between them; "" for none */
} guest_module;

/** The words that begin with `rtstone.`; NULL: not given. */
typedef struct guest_options {
    const char *records;
    const char *probe;
    const char *vme_slaves; /**< where the slave windows of a VMEbus begin: "a24/100000" */
    const char *driven;     /**< a PCI device that a driver is to take which does not know it: "0000:00:09.0" */
    const char *driver;     /**< and that driver, as it calls itself: "hilscher" */
    const char *wire;       /**< a network device to another guest, and its address: "eth0,192.0.2.1" */
    char *
        outside; /**< a network device that leads to the host, its address, the port for clients of an IOC: "eth0,192.0.2.1,5064" */
    const char *peer;  /**< the other guest's address, for the engine's transfers to and from it */
    const char *serve; /**< own address: another guest measures, and this one is its peer there */
    const char *stop;  /**< the device that stops the machine once it is ready: "0000:00:0a.0" */
    guest_module module[GUEST_MODULES];
    unsigned modules;
    const char *wrong; /**< the first word with our prefix that is unknown, is empty, or finds no room */
} guest_options;

/** Takes a command line apart, in place. The last word of a name counts, but each `rtstone.module=` is one more module. */
guest_options guest_parse(char *line);

#endif
