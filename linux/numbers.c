/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Unsigned numbers by strtoull, which by itself takes signs and blanks too.
 */
#include "numbers.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *rts_linux_number(const char *text, int base, uint64_t *value)
{
    const unsigned char first = (unsigned char)text[0];
    char *end = NULL;
    if (base == 16 ? isxdigit(first) == 0 : isdigit(first) == 0) {
        return NULL;
    }
    errno = 0;
    *value = strtoull(text, &end, base);
    return errno == 0 && end != text ? end : NULL;
}

bool rts_linux_numbers(const char *text, const char *word, size_t count, uint64_t *value)
{
    const size_t length = strlen(word);
    if (strncmp(text, word, length) != 0) {
        return false;
    }
    text += length;
    for (size_t i = 0; i < count; i++) {
        text += strspn(text, " ");
        text = rts_linux_number(text, 10, &value[i]);
        if (text == NULL) {
            return false;
        }
    }
    return true;
}
