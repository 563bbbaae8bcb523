/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A guest that is stopped once it is ready, so that its state can be kept and gone on from.
 */
#ifndef GUEST_KEPT_H
#define GUEST_KEPT_H

#include <stdbool.h>

/** What the emulator that goes on gives, one file each. */
#define GUEST_GIVEN "/sys/firmware/qemu_fw_cfg/by_name/opt/rtstone/"

/** What came of a stop. */
typedef enum guest_stopped {
    GUEST_STOPPED,
    GUEST_LATE,        /**< the emulator's clock went on without the machine; its device was informed */
    GUEST_NOT_STOPPED, /**< errno says why */
} guest_stopped;

/** Stops the machine at this instruction, by the emulator's device for panics ("0000:00:0a.0"), and returns when it goes on. */
guest_stopped guest_stop(const char *device);

/** Adds this repetition's seed to the kernel's random pool, and waits for a time drawn from it. False with errno. */
bool guest_stir(void);

#endif
