/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads the words of a command line.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "load_names.h"

int argument_long(const char *program, const char *what, const char *text, long low, long high, long *value)
{
    char *end = NULL;
    errno = 0;
    *value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || *value < low || *value > high) {
        (void)fprintf(stderr, "%s: %s is a number from %ld to %ld, not '%s'\n", program, what, low, high, text);
        return 0;
    }
    return 1;
}

int argument_double(const char *program, const char *what, const char *text, double low, double high, double *value)
{
    char *end = NULL;
    errno = 0;
    *value = strtod(text, &end);
    if (errno != 0 || end == text || *end != '\0' || !(*value >= low && *value <= high)) {
        (void)fprintf(stderr, "%s: %s is a number from %g to %g, not '%s'\n", program, what, low, high, text);
        return 0;
    }
    return 1;
}

int argument_prefix(const char *program, const char *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+:[]<>;";
    if (text[0] == '\0' || strlen(text) >= LOAD_PREFIX_SIZE || text[strspn(text, allowed)] != '\0') {
        (void)fprintf(stderr, "%s: a prefix has 1 to %d letters, digits or signs of _-+:[]<>;\n", program,
                      LOAD_PREFIX_SIZE - 1);
        return 0;
    }
    return 1;
}
