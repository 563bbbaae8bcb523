/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The far end of a connection: runs a session of this engine for a host that is elsewhere (spec/far-end.md).
 */
#ifndef RTSTONE_POSIX_FAR_H
#define RTSTONE_POSIX_FAR_H

/** Serves one session on standard input and output, by a child that executes `program`. Returns the exit code of the program. */
int rts_far_main(const char *program, int count, char *const words[]);

#endif
