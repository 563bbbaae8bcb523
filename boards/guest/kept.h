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

/** Stops the machine at this instruction, by the emulator's device for panics ("0000:00:0a.0"), and returns when it goes on. False with errno.
 *
 * If the clock went on meanwhile it informs the device, and goes on: an emulator that stopped the machine ends it then. */
bool guest_stop(const char *device);

/** Adds this repetition's seed to the kernel's random pool, and waits for a time drawn from it. False with errno. */
bool guest_stir(void);

/** Copies the plan to a file, in few pieces. False with errno. */
bool guest_take_plan(const char *path);

#endif
