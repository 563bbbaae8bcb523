/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The C library functions that compiled code may call, word by word where both sides are aligned.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uintptr_t __attribute__((may_alias)) word;
#define WORD_MASK (sizeof(word) - 1u)

void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
    unsigned char *d = to;
    const unsigned char *s = from;
    if ((((uintptr_t)d | (uintptr_t)s) & WORD_MASK) == 0) {
        for (; count >= sizeof(word); count -= sizeof(word)) {
            *(word *)(void *)d = *(const word *)(const void *)s;
            d += sizeof(word);
            s += sizeof(word);
        }
    }
    while (count-- > 0) {
        *d++ = *s++;
    }
    return to;
}

void *memmove(void *to, const void *from, size_t count)
{
    unsigned char *d = to;
    const unsigned char *s = from;
    if (d <= s || d >= s + count) {
        return memcpy(to, from, count);
    }
    while (count-- > 0) {
        d[count] = s[count];
    }
    return to;
}

void *memset(void *at, int value, size_t count)
{
    unsigned char *d = at;
    for (; count > 0 && ((uintptr_t)d & WORD_MASK) != 0; count--) {
        *d++ = (unsigned char)value;
    }
    const word pattern = (word)(unsigned char)value * ((word)-1 / 255u);
    for (; count >= sizeof(word); count -= sizeof(word)) {
        *(word *)(void *)d = pattern;
        d += sizeof(word);
    }
    while (count-- > 0) {
        *d++ = (unsigned char)value;
    }
    return at;
}

int memcmp(const void *a, const void *b, size_t count)
{
    const unsigned char *x = a;
    const unsigned char *y = b;
    for (; count > 0; count--, x++, y++) {
        if (*x != *y) {
            return (int)*x - (int)*y;
        }
    }
    return 0;
}

size_t strlen(const char *text)
{
    size_t count = 0;
    while (text[count] != '\0') {
        count++;
    }
    return count;
}
