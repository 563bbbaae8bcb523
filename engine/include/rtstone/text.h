/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Compares texts, for code without a C library.
 */
#ifndef RTSTONE_TEXT_H
#define RTSTONE_TEXT_H

#include <stdbool.h>

static inline bool rts_text_equal(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

#endif
