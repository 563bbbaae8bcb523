/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which machine this is: its identifying signs, and the id made of them.
 */
#ifndef RTSTONE_LINUX_IDENTITY_H
#define RTSTONE_LINUX_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

#define RTS_MACHINE_ID_BYTES 16u

/** The known facts of the machine; NULL: not known. */
typedef struct rts_machine_signs {
    const char *stated; /**< RTSTONE_MACHINE: the user's own name of the machine, such as a pod's spec.nodeName */
    const char *machine_id;
    bool machine_id_mounted;  /**< it is the host's file, and not one of a container's image */
    const char *product_uuid; /**< firmware's, readable by root */
    const char *serial;       /**< a board's, readable by every user */
    const char *cpu_model;
    const char *boot_id;
    const char *host; /**< host name, "" without one */
    bool own_name;    /**< the host name is that of the machine, not of a container */
    bool inside;      /**< in a container: its own host name or its own processes */
} rts_machine_signs;

/**
 * The machine's id in hex digits (twice RTS_MACHINE_ID_BYTES and a zero), and the source of the id. False if no sign identifies the machine: the
 * name of a container alone never does.
 */
bool rts_linux_identity(const rts_machine_signs *signs, char *hex, char *source, size_t room);

#endif
