/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The command `attach`: wake-up latency of threads of another program, counted by BPF programs until a time is over.
 */
#ifndef RTSTONE_LINUX_ATTACH_H
#define RTSTONE_LINUX_ATTACH_H

/** Prints one line on standard error, after the program's name. */
typedef __attribute__((format(printf, 1, 2))) void (*rts_attach_complain)(const char *format, ...);

/**
 * Watches the threads that `words` (the arguments of the command) name, and writes a line of JSON a second and one for each thread at the end.
 * Returns an exit code.
 */
int rts_attach_main(int count, char *const words[], rts_attach_complain say);

#endif
