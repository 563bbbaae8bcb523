/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The guest's end of the wire to another guest: an address, and whether somebody answers at the other one.
 */
#ifndef GUEST_WIRE_H
#define GUEST_WIRE_H

#include <stdbool.h>

/** Brings the loopback interface up, which then has its usual address. False: errno says why. */
bool guest_loopback_up(void);

/** Gives a network device its address and brings it up: "eth0,192.0.2.1" (a net of 256). Waits for its carrier. False: errno says why. */
bool guest_wire_up(const char *device_and_address);

/** Waits until a peer answers at an address, on the port that peers wait on. False: errno says why none did. */
bool guest_wire_answers(const char *address);

#endif
