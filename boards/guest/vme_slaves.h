/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The other end of a VMEbus that the kernel plays: slave windows with memory behind them.
 */
#ifndef GUEST_VME_SLAVES_H
#define GUEST_VME_SLAVES_H

#include <stdint.h>

#define GUEST_VME_SLAVES 4u                     /* that vme_user has */
#define GUEST_VME_SLAVE_BYTES UINT64_C(0x20000) /* of memory behind each */

/**
 * Opens the first `count` slave windows one behind the other, from "a16|a24|a32/ADDR" on (hexadecimal, a multiple of 10000), as far as the space
 * goes. They stay open. Returns how many there are; -1 with errno.
 */
int guest_vme_open_slaves(const char *where, unsigned count);

#endif
