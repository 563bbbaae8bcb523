/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The command `peer`, which the system's folder provides: the far end of network measurements that another host makes.
 */
#ifndef RTSTONE_POSIX_PEER_H
#define RTSTONE_POSIX_PEER_H

/** Serves other hosts until a signal ends it; `words` are those behind the command. Returns an exit code. */
int rts_peer_main(int count, char *const words[]);

#endif
