/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads the command line and refuses, in one line each, what the engine could not do.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "posix.h"
#include "rtstone/load.h"
#include "rtstone/measurement.h"

const rts_option_rule rts_option_rules[RTS_OPTION_ITEM_COUNT] = {
    [RTS_OPTION_PASS] = {"--pass", "pass", "single|batch", 0, 0, "every operation by itself, or the total over a set"},
    [RTS_OPTION_COUNT] = {"--count", "count", NULL, 1, UINT32_MAX, "samples, or operations in a set (1000)"},
    [RTS_OPTION_SETS] = {"--sets", "sets", NULL, 1, UINT32_MAX, "sets of a batch pass (20)"},
    [RTS_OPTION_BUDGET_MS] = {"--budget-ms", "budget_ms", NULL, 0, UINT32_MAX, "stop early after this time; 0: never"},
    [RTS_OPTION_WARMUP] = {"--warmup", "warmup", NULL, 0, UINT32_MAX, "operations before the first that counts (16)"},
    [RTS_OPTION_LOAD] = {"--load", "load", "", 0, 0,
                         "what runs on the measured CPU beside it, a:2+b: 2 of a, and b (none)"},
    [RTS_OPTION_INTENSITY] = {"--intensity", "intensity", NULL, 0, UINT32_MAX, "how much of it, in its own unit (1)"},
    [RTS_OPTION_SCHED] = {"--sched", "sched", "rt|ts", 0, 0, "real-time or time-sharing class"},
    [RTS_OPTION_CACHE] = {"--cache", "cache", "warm|flushed", 0, 0,
                          "flushed: caches are flushed before each operation"},
    [RTS_OPTION_CPU] = {"--cpu", "cpu", NULL, -1, INT32_MAX, "CPU to measure on; -1: an isolated one, else the last"},
    [RTS_OPTION_PERIOD_NS] = {"--period-ns", "period_ns", NULL, 1, UINT32_MAX, "of the measured interrupt (1000000)"},
    [RTS_OPTION_PHASE_NS] = {"--phase-ns", "phase_ns", NULL, 0, UINT32_MAX, "delay of its first one (0)"},
    [RTS_OPTION_TIMER] = {"--timer", "timer", "", 0, 0,
                          "its source: nanosleep-pair, nanosleep, timerfd (nanosleep-pair)"},
    [RTS_OPTION_WINDOW] = {"--window", "window", "", 0, 0, "what transfer-... reach: shm, pci:ADDRESS/BAR (shm)"},
    [RTS_OPTION_TRACE_OVER_NS] = {"--trace-over-ns", "trace_over_ns", NULL, 0, UINT32_MAX,
                                  "interrupt-split: what the kernel did before samples above this; 0: of none"},
    [RTS_OPTION_RAW] = {"--raw", "raw", NULL, 0, 1, "1: send every sample as well"},
};

void rts_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)fputs("rtstone-engine: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
}

static bool number(const char *text, const char *flag, long long low, long long high)
{
    char *end = NULL;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < low || value > high) {
        rts_complain("%s takes a whole number from %lld to %lld, not '%s'", flag, low, high, text);
        return false;
    }
    return true;
}

static bool is_word_of(const char *text, const char *words)
{
    const size_t length = strlen(text);
    while (*words != '\0') {
        const size_t next = strcspn(words, "|");
        if (next == length && strncmp(words, text, length) == 0) {
            return true;
        }
        words += next + (words[next] == '|' ? 1u : 0u);
    }
    return false;
}

/** Whether each of the loads that '+' joins exists. The code that starts a load reads the part after its colon. */
static bool loads_known(const char *text)
{
    char name[64];
    for (const char *at = text;; at += strcspn(at, "+") + 1u) {
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "+:"), at);
        if (rts_load_find(name) == NULL) {
            rts_complain("no load is named '%s'; 'rtstone-engine list' names them", name);
            return false;
        }
        if (at[strcspn(at, "+")] == '\0') {
            return true;
        }
    }
}

static bool item_value(rts_options *options, rts_option which, const char *text)
{
    const rts_option_rule *const rule = &rts_option_rules[which];
    options->value[which] = text;
    if (rule->words == NULL) {
        return number(text, rule->flag, rule->low, rule->high);
    }
    if (rule->words[0] != '\0' && !is_word_of(text, rule->words)) {
        rts_complain("%s takes one of %s, not '%s'", rule->flag, rule->words, text);
        return false;
    }
    if (which == RTS_OPTION_LOAD && !loads_known(text)) {
        return false;
    }
    if (which == RTS_OPTION_TIMER && !rts_posix_timer_known(text)) {
        rts_complain("no timer source is named '%s'; 'rtstone-engine list' names them", text);
        return false;
    }
    return true;
}

static bool measurement(rts_options *options, const char *name)
{
    if (rts_measurement_find(name, NULL) == NULL) {
        rts_complain("no measurement is named '%s'; 'rtstone-engine list' names them", name);
        return false;
    }
    if (options->measurements == RTS_OPTION_MEASUREMENTS) {
        rts_complain("more than %u measurements; write a plan instead", RTS_OPTION_MEASUREMENTS);
        return false;
    }
    options->measurement[options->measurements++] = name;
    return true;
}

static bool value_of(rts_options *options, const char *flag, const char *text)
{
    for (size_t i = 0; i < RTS_OPTION_ITEM_COUNT; i++) {
        if (strcmp(flag, rts_option_rules[i].flag) == 0) {
            return item_value(options, (rts_option)i, text);
        }
    }
    if (strcmp(flag, "--measurement") == 0) {
        return measurement(options, text);
    }
    if (strcmp(flag, "--plan") == 0) {
        options->plan = text;
        return true;
    }
    if (strcmp(flag, "--probe") == 0) {
        const char *why = NULL;
        options->probe = text;
        if (rts_posix_probe_init(text, &why) != RTS_OK) {
            rts_complain("%s cannot be used: %s", text, why);
            return false;
        }
        return true;
    }
    if (strcmp(flag, "--seed") == 0) {
        options->seed = text;
        return number(text, flag, 0, INT64_MAX);
    }
    if (strcmp(flag, "--repetition") == 0) {
        options->repetition = text;
        return number(text, flag, 0, UINT32_MAX);
    }
    rts_complain("unknown option '%s'; 'rtstone-engine --help' explains them", flag);
    return false;
}

/** Options that stand alone. False: it is not one of them. */
static bool alone(rts_options *options, const char *flag)
{
    static const char with_parent[] = "--with-parent";
    if (strcmp(flag, "--json") == 0) {
        options->json = true;
        return true;
    }
    if (strcmp(flag, "--derive-nonce") == 0) {
        options->derived_nonce = true;
        return true;
    }
    if (strcmp(flag, "--gated") == 0) {
        options->gated = true;
        return true;
    }
    if (strcmp(flag, with_parent) == 0) {
        options->with_parent = true;
        return true;
    }
    if (strncmp(flag, with_parent, sizeof with_parent - 1u) == 0 && flag[sizeof with_parent - 1u] == '=') {
        const char *const text = flag + sizeof with_parent;
        options->with_parent = true;
        options->parent = (pid_t)strtol(text, NULL, 10);
        return options->parent > 0;
    }
    return false;
}

static bool read_flags(rts_options *options, int count, char *const words[])
{
    for (int i = 0; i < count; i++) {
        if (alone(options, words[i])) {
            continue;
        }
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) {
            options->command = RTS_COMMAND_HELP;
            return true;
        }
        char flag[32];
        const char *text = strchr(words[i], '=');
        const size_t length = text == NULL ? strlen(words[i]) : (size_t)(text - words[i]);
        (void)snprintf(flag, sizeof flag, "%.*s", (int)length, words[i]);
        text = text == NULL ? (i + 1 < count ? words[++i] : NULL) : text + 1;
        if (text == NULL) {
            rts_complain(strncmp(flag, "--", 2) == 0 ? "%s needs a value" : "'%s' is not an option", flag);
            return false;
        }
        if (!value_of(options, flag, text)) {
            return false;
        }
    }
    return true;
}

/** What only the options together show. */
static bool agree(const rts_options *options)
{
    bool item_option = false;
    for (size_t i = 0; i < RTS_OPTION_ITEM_COUNT; i++) {
        item_option = item_option || options->value[i] != NULL;
    }
    if (options->plan != NULL && (options->measurements > 0 || item_option)) {
        rts_complain("--plan says all that is to be measured; leave the other options out");
        return false;
    }
    if (options->measurements == 0 && item_option) {
        rts_complain("--measurement is missing: what is to be measured so?");
        return false;
    }
    if (options->gated && (options->plan == NULL || strcmp(options->plan, "-") != 0)) {
        rts_complain("--gated goes with --plan -: what lets an item begin comes behind the plan");
        return false;
    }
    int32_t cpu;
    const char *const wanted = options->value[RTS_OPTION_CPU];
    if (wanted != NULL && rts_port_cpu_resolve((int32_t)strtol(wanted, NULL, 10), &cpu) != RTS_OK) {
        rts_complain("CPU %s does not exist or may not be used; this process has %u", wanted, rts_port_cpu_count());
        return false;
    }
    return true;
}

bool rts_options_read(rts_options *options, int count, char *const words[])
{
    memset(options, 0, sizeof *options);
    if (count < 2 || strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0 || strcmp(words[1], "help") == 0) {
        options->command = RTS_COMMAND_HELP;
        return true;
    }
    if (strcmp(words[1], "--version") == 0) {
        options->command = RTS_COMMAND_VERSION;
        return true;
    }
    if (strcmp(words[1], "list") == 0) {
        options->command = RTS_COMMAND_LIST;
    } else if (strcmp(words[1], "run") == 0) {
        options->command = RTS_COMMAND_RUN;
    } else {
        rts_complain("unknown command '%s'; it is one of: list, run, --version, --help", words[1]);
        return false;
    }
    return read_flags(options, count - 2, words + 2) && agree(options);
}
