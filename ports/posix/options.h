/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the command line asks for.
 */
#ifndef RTSTONE_POSIX_OPTIONS_H
#define RTSTONE_POSIX_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef enum rts_command { RTS_COMMAND_HELP, RTS_COMMAND_VERSION, RTS_COMMAND_LIST, RTS_COMMAND_RUN } rts_command;

#define RTS_OPTION_MEASUREMENTS 128u

/** Options that become keys of every plan item, in the order in which they are written. */
typedef enum rts_option {
    RTS_OPTION_PASS,
    RTS_OPTION_COUNT,
    RTS_OPTION_SETS,
    RTS_OPTION_BUDGET_MS,
    RTS_OPTION_WARMUP,
    RTS_OPTION_LOAD,
    RTS_OPTION_INTENSITY,
    RTS_OPTION_SCHED,
    RTS_OPTION_CACHE,
    RTS_OPTION_CPU,
    RTS_OPTION_PERIOD_NS,
    RTS_OPTION_PHASE_NS,
    RTS_OPTION_TIMER,
    RTS_OPTION_WINDOW,
    RTS_OPTION_TRACE_OVER_NS,
    RTS_OPTION_RAW,
    RTS_OPTION_ITEM_COUNT
} rts_option;

/** How an option's value is written, and its range. */
typedef struct rts_option_rule {
    const char *flag;  /**< "--budget-ms" */
    const char *key;   /**< "budget_ms", as in spec/plan.md */
    const char *words; /**< "batch|single"; "" for any name; NULL for a number */
    long long low;
    long long high;
    const char *help;
} rts_option_rule;

extern const rts_option_rule rts_option_rules[RTS_OPTION_ITEM_COUNT];

typedef struct rts_options {
    rts_command command;
    bool json;
    bool with_parent;
    pid_t parent;       /**< 0: whoever it is now */
    const char *plan;   /**< file name, "-", or NULL */
    const char *probe;  /**< a probe module's device, or NULL */
    bool gated;         /**< before each item the engine waits for permission to go on */
    bool derived_nonce; /**< the session's number derives from the plan, as on a virtual board */
    const char *seed;
    const char *repetition;
    size_t measurements;
    const char *measurement[RTS_OPTION_MEASUREMENTS];
    const char *value[RTS_OPTION_ITEM_COUNT]; /**< NULL: not given */
} rts_options;

/** Reads the command line. False after it has said on standard error what is wrong, in one line. */
bool rts_options_read(rts_options *options, int count, char *const words[]);

/** Writes the plan that the options stand for (spec/plan.md). Returns its length; 0 when it does not fit. */
size_t rts_plan_text(const rts_options *options, char *text, size_t room);

/** Prints what can be measured, with which loads. */
void rts_list(bool json);

/** Says one line on standard error, after the program's name. */
__attribute__((format(printf, 1, 2))) void rts_complain(const char *format, ...);

#endif
