/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The whole file is read at once and cut up where it lies.
 */
#include "symbols.h"

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

/** Of several names of one address the file's first comes last: it is the one that is found. */
static int by_address(const void *left, const void *right)
{
    const symbol *const a = left;
    const symbol *const b = right;
    if (a->address != b->address) {
        return a->address < b->address ? -1 : 1;
    }
    return a->name > b->name ? -1 : a->name < b->name;
}

/** A line "ffffffff81000000 T _stext", or with its module behind a tab, as a symbol; false if it is no function's. */
static bool take(char *line, symbol *found)
{
    char *at;
    found->address = strtoull(line, &at, 16);
    if (found->address == 0 || at[0] != ' ' || at[1] == '\0' || strchr("tTwW", at[1]) == NULL || at[2] != ' ') {
        return false;
    }
    found->name = at + 3;
    at[3 + strcspn(at + 3, " \t")] = '\0';
    return found->name[0] != '\0' && found->name[0] != '$'; /* Arm's marks between code and data */
}

bool rts_symbols_load(void)
{
    rts_symbols_free();
    FILE *const file = fopen("/proc/kallsyms", "r");
    if (file == NULL) {
        return false;
    }
    size_t room = 0;
    const bool read = getdelim(&symbols.text, &room, '\0', file) > 0; /* it has no NUL: all of it */
    (void)fclose(file);
    if (!read) {
        rts_symbols_free();
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

/** How the names of functions begin in which an interrupt enters the kernel: x86-64, 64-bit Arm, RISC-V, 32-bit Arm. */
static const char *const entries[] = {"asm_",      "common_interrupt", "el0t_", "el1h_", "handle_exception",
                                      "__irq_svc", "__irq_usr",        NULL};

/** How the names of functions begin that end every wait: a tracepoint's program, the scheduler, and the code that enables interrupts. */
static const char *const passing[] = {"bpf_prog_",
                                      "bpf_trace_run",
                                      "__bpf_trace_",
                                      "__traceiter_",
                                      "__schedule",
                                      "schedule",
                                      "preempt_schedule",
                                      "arm64_preempt_schedule",
                                      "__cond_resched",
                                      "dynamic_",
                                      "irqentry_",
                                      "raw_irqentry_",
                                      "exit_to_user_mode",
                                      "sysvec_",
                                      "__sysvec_",
                                      "do_notify_resume",
                                      "el0_",
                                      "el1_",
                                      "_raw_",
                                      NULL};

static bool begins(const char *name, const char *const *with)
{
    while (*with != NULL && strncmp(name, *with, strlen(*with)) != 0) {
        with++;
    }
    return *with != NULL;
}

bool rts_symbols_calls(const uint64_t *frames, uint32_t depth, bool entered, const char *calls[RTS_SYMBOLS_CALLS],
                       size_t *count)
{
    bool inside = entered;
    *count = 0;
    if (depth == 0 || rts_symbols_at(frames[0]) == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < depth && i < RTS_SYMBOLS_FRAMES && *count < RTS_SYMBOLS_CALLS; i++) {
        const char *const name = rts_symbols_at(frames[i]);
        const bool entry = begins(name, entries);
        if (!inside && !entry && (*count > 0 || !begins(name, passing))) {
            calls[(*count)++] = name;
        }
        inside = inside && !entry;
    }
    return !inside;
}

void rts_symbols_free(void)
{
    free(symbols.text);
    free(symbols.table);
    symbols.text = NULL;
    symbols.table = NULL;
    symbols.count = 0;
}
