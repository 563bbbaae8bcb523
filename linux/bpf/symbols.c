/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The whole file is read at once and cut up where it lies.
 */
#include "symbols.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct symbol {
    uint64_t address;
    const char *name;
} symbol;

static struct {
    char *text;
    symbol *table;
    size_t count;
} symbols;

/** The file and a NUL behind it; NULL if it cannot be read, or not be held. */
static char *whole(const char *path)
{
    FILE *const file = fopen(path, "r");
    if (file == NULL) {
        return NULL;
    }
    char *text = NULL;
    size_t used = 0;
    size_t room = 0;
    for (;;) {
        if (room - used < 2) {
            room = room == 0 ? 1u << 20 : room * 2;
            char *const more = realloc(text, room);
            if (more == NULL) {
                break;
            }
            text = more;
        }
        const size_t got = fread(text + used, 1, room - used - 1, file);
        if (got == 0) {
            text[used] = '\0';
            (void)fclose(file);
            return text;
        }
        used += got;
    }
    free(text);
    (void)fclose(file);
    return NULL;
}

static int by_address(const void *left, const void *right)
{
    const uint64_t a = ((const symbol *)left)->address;
    const uint64_t b = ((const symbol *)right)->address;
    return a < b ? -1 : a > b;
}

/** A line "ffffffff81000000 T _stext", or with its module behind a tab, as a symbol; false if it is no function's. */
static bool take(char *line, symbol *found)
{
    char *at;
    found->address = strtoull(line, &at, 16);
    if (found->address == 0 || at[0] != ' ' || strchr("tTwW", at[1]) == NULL || at[1] == '\0' || at[2] != ' ') {
        return false;
    }
    found->name = at + 3;
    for (at += 3; *at != '\0'; at++) {
        if (isspace((unsigned char)*at)) {
            *at = '\0';
            break;
        }
    }
    return found->name[0] != '\0';
}

bool rts_symbols_load(void)
{
    rts_symbols_free();
    symbols.text = whole("/proc/kallsyms");
    if (symbols.text == NULL) {
        return false;
    }
    size_t lines = 1;
    for (const char *at = symbols.text; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    symbols.table = malloc(lines * sizeof *symbols.table);
    if (symbols.table == NULL) {
        rts_symbols_free();
        return false;
    }
    char *rest = NULL;
    for (char *line = strtok_r(symbols.text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        symbols.count += take(line, &symbols.table[symbols.count]) ? 1u : 0u;
    }
    qsort(symbols.table, symbols.count, sizeof *symbols.table, by_address);
    return symbols.count != 0;
}

const char *rts_symbols_at(uint64_t address)
{
    size_t low = 0;
    size_t high = symbols.count;
    while (low < high) { /* all below `low` begin at the address or before it */
        const size_t middle = low + (high - low) / 2;
        if (symbols.table[middle].address <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? NULL : symbols.table[low - 1].name;
}

void rts_symbols_free(void)
{
    free(symbols.text);
    free(symbols.table);
    symbols.text = NULL;
    symbols.table = NULL;
    symbols.count = 0;
}
