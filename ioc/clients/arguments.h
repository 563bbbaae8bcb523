/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads the words of a command line. Each call says on standard error what is wrong, in one line, and returns 0 then.
 */
#ifndef RTSTONE_IOC_ARGUMENTS_H
#define RTSTONE_IOC_ARGUMENTS_H

int argument_long(const char *program, const char *what, const char *text, long low, long high, long *value);
int argument_double(const char *program, const char *what, const char *text, double low, double high, double *value);

/** A prefix of record names: 1 to 39 characters that a record's name may have. */
int argument_prefix(const char *program, const char *text);

#endif
