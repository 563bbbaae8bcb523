/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The command `peer`: the far end of network measurements that another host makes.
 */
#ifndef RTSTONE_LINUX_PEER_H
#define RTSTONE_LINUX_PEER_H

/** Prints one line on standard error, after the program's name. */
typedef __attribute__((format(printf, 1, 2))) void (*rts_peer_complain)(const char *format, ...);

/** Serves other hosts until a signal ends it; `words` are the arguments of the command. Returns an exit code. */
int rts_peer_main(int count, char *const words[], rts_peer_complain say);

#endif
