/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The command line of both programs.
 */
#include "settings.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "threads.h"

#define SECOND UINT64_C(1000000000)
#define CYCLES_AT_MOST UINT64_C(10000000)

enum {
    PERIOD = 256,
    DEADLINE,
    CYCLES,
    WORK,
    PRIORITY,
    CPU,
    WAIT,
    THREADS,
    CATCH_UP,
    RAW,
    FAULT,
    TOGETHER,
    SEED,
    EVERY,
    LENGTH
};

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"period", required_argument, NULL, PERIOD},
    {"deadline", required_argument, NULL, DEADLINE},
    {"cycles", required_argument, NULL, CYCLES},
    {"work", required_argument, NULL, WORK},
    {"priority", required_argument, NULL, PRIORITY},
    {"cpu", required_argument, NULL, CPU},
    {"wait", required_argument, NULL, WAIT},
    {"threads", required_argument, NULL, THREADS},
    {"catch-up", no_argument, NULL, CATCH_UP},
    {"raw", no_argument, NULL, RAW},
    {"fault", required_argument, NULL, FAULT},
    {"together", no_argument, NULL, TOGETHER},
    {"seed", required_argument, NULL, SEED},
    {"every", required_argument, NULL, EVERY},
    {"length", required_argument, NULL, LENGTH},
    {NULL, 0, NULL, 0},
};

static bool is_loop(const settings *of)
{
    return strcmp(of->program, "loop") == 0;
}

static void help(const settings *of)
{
    printf(
        "%s\n\nusage: %s [OPTION...] [--fault NAME...] > account.json\n\n",
        is_loop(of)
            ? "A real-time loop that accounts for its own cycles, with faults planted on request."
            : "An executor that hands timers' and subscriptions' callbacks to a pool of threads, with planted faults.",
        of->program);
    printf("  --period TIME     from one cycle to the next (default 1ms); TIME is 250us, 1ms, 2s\n"
           "  --deadline TIME   from due to end; a longer cycle is a miss (default: the period)\n"
           "  --cycles N        how many due times there are (default 10000)\n"
           "  --work TIME       how long a cycle computes (default 50us)\n"
           "  --priority N      SCHED_FIFO, 1 to 98 (default 80); 0: SCHED_OTHER\n"
           "  --cpu N           the CPU of all threads (default: the last one)\n");
    if (is_loop(of)) {
        printf("  --wait WAY        how the loop waits:");
        for (uint32_t index = 0; wait_at(index) != NULL; ++index) {
            printf("%s %s", index > 0 ? "," : "", wait_at(index)->name);
        }
        printf(" (default nanosleep)\n");
    } else {
        printf("  --threads N       threads of the pool, 1 to 8 (default 2)\n");
    }
    printf("  --catch-up        run late cycles too (default: skip those whose due time has passed)\n"
           "  --raw             print every cycle: number, due, start, end\n"
           "\nPlanted faults:\n"
           "  --fault NAME      plant it; repeat for several, of which each time one is drawn\n"
           "  --together        plant all of them each time\n"
           "  --seed N          draws cycles, faults and lengths (default 1)\n"
           "  --every N         cycles from one to the next, on average (default 50)\n"
           "  --length MIN-MAX  their lengths (default: 2 to 5 periods)\n\n");
    for (uint32_t index = 0; fault_at(index) != NULL; ++index) {
        printf("  %-16s  %s\n", fault_at(index)->name, fault_at(index)->summary);
    }
    printf("\nExit codes: 0 it ran; 2 usage; 3 the system refuses something.\n");
}

_Noreturn static void usage(const settings *of, const char *option, const char *text, const char *must)
{
    (void)fprintf(stderr, "%s: %s %s: %s\n", of->program, option, text, must);
    exit(USAGE);
}

int settings_below(const settings *from)
{
    return from->priority > 1 ? from->priority - 1 : from->priority;
}

void settings_refused(const settings *from, const char *text, int error)
{
    const char *const help_text =
        error == EPERM
            ? ": SCHED_FIFO takes root, CAP_SYS_NICE or a real-time limit (ulimit -r); --priority 0 does without"
            : "";
    (void)fprintf(stderr, "%s: the system refuses %s: %s%s\n", from->program, text, strerror(error), help_text);
    exit(REFUSED);
}

/* Reads digits, and moves *text behind them. */
static bool read_digits(const char **text, uint64_t *value)
{
    char *end = NULL;
    if (**text < '0' || **text > '9') {
        return false;
    }
    errno = 0;
    *value = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

/* Reads a time with its unit, and moves *text behind it. */
static bool read_time(const char **text, uint64_t *ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", SECOND}};
    uint64_t value = 0;
    if (!read_digits(text, &value)) {
        return false;
    }
    for (uint32_t index = 0; index < sizeof units / sizeof units[0]; ++index) {
        const size_t length = strlen(units[index].name);
        if (strncmp(*text, units[index].name, length) == 0 && value <= 1000 * SECOND / units[index].ns) {
            *text += length;
            *ns = value * units[index].ns;
            return true;
        }
    }
    return false;
}

static uint64_t a_time(const settings *of, const char *option, const char *text, uint64_t low, uint64_t high,
                       const char *must)
{
    const char *at = text;
    uint64_t ns = 0;
    if (!read_time(&at, &ns) || *at != '\0' || ns < low || ns > high) {
        usage(of, option, text, must);
    }
    return ns;
}

static uint64_t a_number(const settings *of, const char *option, const char *text, uint64_t low, uint64_t high,
                         const char *must)
{
    const char *at = text;
    uint64_t value = 0;
    if (!read_digits(&at, &value) || *at != '\0' || value < low || value > high) {
        usage(of, option, text, must);
    }
    return value;
}

static void read_length(settings *of, const char *text)
{
    const char *at = text;
    if (!read_time(&at, &of->length_min_ns) || *at++ != '-' || !read_time(&at, &of->length_max_ns) || *at != '\0' ||
        of->length_min_ns == 0 || of->length_min_ns > of->length_max_ns || of->length_max_ns > 10 * SECOND) {
        usage(of, "--length", text, "two times of at most 10 s, the shorter first: 2ms-5ms");
    }
}

static void read_fault(settings *of, const char *text)
{
    const fault *const found = fault_find(text);
    if (found == NULL) {
        usage(of, "--fault", text, "no such fault; --help lists them");
    }
    for (uint32_t index = 0; index < of->fault_count; ++index) {
        if (of->faults[index] == found) {
            usage(of, "--fault", text, "named twice");
        }
    }
    of->faults[of->fault_count++] = found;
}

static const wait_kind *read_wait(const settings *of, const char *text)
{
    for (uint32_t index = 0; wait_at(index) != NULL; ++index) {
        if (strcmp(wait_at(index)->name, text) == 0) {
            return wait_at(index);
        }
    }
    usage(of, "--wait", text, "no such way; --help lists them");
}

static void read_option(settings *of, int option, const char *text)
{
    switch (option) {
    case 'h':
        help(of);
        exit(0);
    case PERIOD:
        of->period_ns = a_time(of, "--period", text, 50000, SECOND, "a time from 50us to 1s");
        break;
    case DEADLINE:
        of->deadline_ns = a_time(of, "--deadline", text, 1, 10 * SECOND, "a time of at most 10s");
        break;
    case CYCLES:
        of->cycles = a_number(of, "--cycles", text, 1, CYCLES_AT_MOST, "a number from 1 to 10000000");
        break;
    case WORK:
        of->work_ns = a_time(of, "--work", text, 0, SECOND, "a time of at most 1s");
        break;
    case PRIORITY:
        of->priority = (int)a_number(of, "--priority", text, 0, 98, "a number from 0 to 98");
        break;
    case CPU:
        of->cpu = (int)a_number(of, "--cpu", text, 0, CPU_SETSIZE - 1, "a number from 0 to 1023");
        break;
    case WAIT:
        of->wait = read_wait(of, text);
        break;
    case THREADS:
        of->threads = (int)a_number(of, "--threads", text, 1, 8, "a number from 1 to 8");
        break;
    case CATCH_UP:
        of->catch_up = true;
        break;
    case RAW:
        of->raw = true;
        break;
    case FAULT:
        read_fault(of, text);
        break;
    case TOGETHER:
        of->together = true;
        break;
    case SEED:
        of->seed = a_number(of, "--seed", text, 0, UINT64_MAX, "a number of at most 64 bits");
        break;
    case EVERY:
        of->every = a_number(of, "--every", text, 2, CYCLES_AT_MOST, "a number from 2 to 10000000");
        break;
    case LENGTH:
        read_length(of, text);
        break;
    default:
        exit(USAGE); /* getopt_long has printed why */
    }
}

/* What only shows when all options are known. */
static void complete(settings *of)
{
    if (of->deadline_ns == 0) {
        of->deadline_ns = of->period_ns;
    }
    if (of->length_max_ns == 0) {
        of->length_min_ns = 2 * of->period_ns;
        of->length_max_ns = 5 * of->period_ns;
    }
    if (of->cpu < 0) {
        of->cpu = last_cpu();
    }
    char text[128];
    if (of->work_ns >= of->period_ns) {
        usage(of, "--work", "too long", "it must be shorter than the period");
    }
    for (uint32_t index = 0; index < of->fault_count; ++index) {
        if (of->priority < of->faults[index]->priority_min) {
            (void)snprintf(text, sizeof text, "needs --priority %d or more", of->faults[index]->priority_min);
            usage(of, "--fault", of->faults[index]->name, text);
        }
    }
    /* Between any two lie every / 2 cycles. A fault may have one more thread that takes as long afterwards. */
    const uint64_t longest = 2 * of->length_max_ns * (of->together ? of->fault_count : 1);
    const uint64_t least = 2 * (longest / of->period_ns + 3);
    if (of->fault_count > 0 && of->every < least) {
        char given[24];
        (void)snprintf(given, sizeof given, "%" PRIu64, of->every);
        (void)snprintf(text, sizeof text, "too few for faults of that length: %" PRIu64 " or more", least);
        usage(of, "--every", given, text);
    }
}

settings settings_read(const char *program, int argc, char *const argv[])
{
    settings read = {
        .program = program,
        .period_ns = 1000000,
        .cycles = 10000,
        .work_ns = 50000,
        .priority = 80,
        .cpu = -1,
        .threads = 2,
        .wait = wait_at(0),
        .seed = 1,
        .every = 50,
    };
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if ((option == WAIT && !is_loop(&read)) || (option == THREADS && is_loop(&read))) {
            usage(&read, option == WAIT ? "--wait" : "--threads", optarg, "is an option of the other program");
        }
        read_option(&read, option, optarg);
    }
    if (optind < argc) {
        usage(&read, "argument", argv[optind], "only options are taken");
    }
    complete(&read);
    return read;
}
