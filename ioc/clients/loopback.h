/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A client that stays on the loopback interface and leaves nothing behind.
 */
#ifndef RTSTONE_IOC_LOOPBACK_H
#define RTSTONE_IOC_LOOPBACK_H

/**
 * Looks for IOCs on the loopback interface, unless the environment says otherwise, and stands in for the CA repeater: libca would start one that
 * outlives the program and listens on all interfaces.
 */
void loopback_defaults(void);

#endif
