/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the core's tests share: cmocka, a repeatable random source, a writer into memory, files of spec/vectors.
 */
#ifndef RTS_TEST_SUPPORT_H
#define RTS_TEST_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/record.h"
#include "checks.h"

/** xorshift64*: the tests' own, so that they do not depend on the code under test. */
static inline uint64_t test_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du;
}

/** Random numbers of all magnitudes alike. */
static inline uint64_t test_random_magnitude(uint64_t *state, uint32_t bits)
{
    const uint64_t shift = 64u - bits + test_random(state) % bits;
    return test_random(state) >> shift;
}

/** Lines that a writer wrote, with a NUL at the end. */
typedef struct capture {
    char text[1 << 18];
    size_t length;
    size_t lines;
    size_t longest;
} capture;

static inline rts_status capture_line(void *arg, const char *line, size_t length)
{
    capture *into = arg;
    assert_true(into->length + length < sizeof into->text);
    memcpy(into->text + into->length, line, length);
    into->length += length;
    into->text[into->length] = '\0';
    into->lines++;
    if (length > into->longest) {
        into->longest = length;
    }
    return RTS_OK;
}

/** A whole file below spec/, with a NUL after it; the caller frees it. */
static inline char *spec_file(const char *name, size_t *length)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", RTSTONE_SPEC_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = malloc(1 << 20);
    assert_non_null(text);
    *length = fread(text, 1, (1 << 20) - 1, file);
    text[*length] = '\0';
    fclose(file);
    return text;
}

/** Calls `each` with every line of index.json about a file whose name contains `part`. Returns the number of such lines. */
static inline size_t each_vector(const char *part, void (*each)(const char *row, const char *file))
{
    size_t length = 0;
    size_t count = 0;
    char *index = spec_file("vectors/index.json", &length);
    for (char *row = strtok(index, "\n"); row != NULL; row = strtok(NULL, "\n")) {
        char name[256] = "vectors/";
        const char *start = strstr(row, "\"file\": \"");
        if (start == NULL || strstr(start, part) == NULL) {
            continue;
        }
        start += strlen("\"file\": \"");
        strncat(name, start, (size_t)(strchr(start, '"') - start));
        char *copy = strdup(row); /* `each` may use strtok too */
        each(copy, name);
        free(copy);
        count++;
    }
    free(index);
    return count;
}

/** A number of a row of index.json. */
static inline uint64_t vector_number(const char *row, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *place = strstr(row, quoted);
    assert_non_null(place);
    return strtoull(place + strlen(quoted), NULL, 10);
}

#endif
