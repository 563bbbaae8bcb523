/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program rtstone-engine: its commands, and its exit codes.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf/attach.h"
#include "far.h"
#include "measurements/peer.h"
#include "options.h"
#include "posix.h"
#include "rtstone/engine.h"

static void help(void)
{
    (void)puts(
        "rtstone-engine measures how fast and how reliably this kernel responds, and writes the record stream.\n"
        "People mostly use it through rtstone, which turns the stream into tables; by hand it answers as well:\n"
        "\n"
        "  rtstone-engine list [--json]        what can be measured, with which loads\n"
        "  rtstone-engine run                  everything, a thousand operations each\n"
        "  rtstone-engine run --measurement NAME [--measurement NAME ...] [options]\n"
        "  rtstone-engine run --plan FILE      what a plan asks for; - is standard input\n"
        "  rtstone-engine far                  a session for a host elsewhere, over ssh (rtstone starts it)\n"
        "  rtstone-engine peer --bind ADDRESS[:PORT]   the far end of another host's network measurements\n"
        "  rtstone-engine attach --pid=N [--comm=NAME] [--children] [--cost] [--duration-ns=N]   wake-ups of threads\n"
        "  rtstone-engine --version\n"
        "\n"
        "options of run, for every measurement named:");
    for (size_t i = 0; i < RTS_OPTION_ITEM_COUNT; i++) {
        const rts_option_rule *const rule = &rts_option_rules[i];
        const char *const words = rule->words == NULL ? "N" : rule->words[0] == '\0' ? "NAME" : rule->words;
        (void)printf("  %-12s %-13s %s\n", rule->flag, words, rule->help);
    }
    (void)puts(
        "  --seed       N             what random choices of the run derive from (1)\n"
        "  --repetition N             number of this run among its like (0)\n"
        "  --with-parent[=PID]        die at once when the process that started this one dies\n"
        "  --probe      DEVICE        let the probe module's handler answer the measured interrupt (/dev/rtstone-probe);\n"
        "                             before --timer\n"
        "  --derive-nonce             number the session by the plan's seed, so that a virtual board's runs are the same\n"
        "\n"
        "example: the timer's wake-up latency at 4 kHz for ten seconds, each sample printed too\n"
        "  rtstone-engine run --measurement interrupt-response --period-ns 250000 --count 40000 --raw 1\n"
        "\n"
        "Real-time priorities need a privilege; without it the run goes on, and says so and how to get it.\n"
        "exit codes: 0 done, 2 usage or a plan that was refused, 3 failed, 130 interrupted");
}

/** 16 hex digits that no other session has. */
static const char *fresh_nonce(void)
{
    static char text[17];
    uint64_t bits = 0;
    const int file = open("/dev/urandom", O_RDONLY);
    if (file < 0 || read(file, &bits, sizeof bits) != (ssize_t)sizeof bits) {
        bits = rts_posix_monotonic() * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid();
    }
    if (file >= 0) {
        (void)close(file);
    }
    (void)snprintf(text, sizeof text, "%016llx", (unsigned long long)bits);
    return text;
}

static int run(const rts_options *options)
{
    if (options->plan != NULL) {
        const int file = strcmp(options->plan, "-") == 0 ? STDIN_FILENO : open(options->plan, O_RDONLY);
        if (file < 0) {
            rts_complain("the plan %s cannot be opened", options->plan);
            return RTS_EXIT_USAGE;
        }
        rts_posix_plan_from(file, NULL, 0);
        rts_posix_gated(options->gated);
    } else if (options->measurements > 0) {
        /* No larger than it must be: it is locked in memory, and every measured fork copies the entries of its pages. */
        const size_t room = 4096u + options->measurements * 600u;
        char *const text = malloc(room);
        const size_t bytes = text == NULL ? 0 : rts_plan_text(options, text, room);
        if (bytes == 0) {
            free(text);
            rts_complain("the plan does not fit");
            return RTS_EXIT_USAGE;
        }
        rts_posix_plan_from(-1, text, bytes);
    }
    return rts_engine_run(options->derived_nonce ? NULL : fresh_nonce());
}

int main(int count, char *words[])
{
    const pid_t parent = getppid(); /* before anything else, so that it can hardly have died yet */
    rts_system_claim_granted();
    rts_posix_clock_init();
    const char *const clock = getenv("RTSTONE_CLOCK");
    const char *why = NULL;
    if (clock != NULL && rts_posix_clock_choose(clock, &why) != RTS_OK) {
        rts_complain("clock %s: %s", clock, why);
        return RTS_EXIT_USAGE;
    }
    rts_posix_signals(false);
    if (count >= 2 && strcmp(words[1], "peer") == 0) {
        return rts_peer_main(count - 2, words + 2, rts_complain);
    }
    if (count >= 2 && strcmp(words[1], "attach") == 0) {
        return rts_attach_main(count - 2, words + 2, rts_complain);
    }
    if (count >= 2 && strcmp(words[1], "far") == 0) {
        return rts_far_main(words[0], count - 2, words + 2);
    }
    rts_options options;
    if (!rts_options_read(&options, count, words)) {
        return RTS_EXIT_USAGE;
    }
    if (options.with_parent) {
        const rts_status status = rts_system_die_with(options.parent != 0 ? options.parent : parent);
        if (status != RTS_OK && status != RTS_UNSUPPORTED) {
            rts_complain("cannot bind itself to the process that started it");
            return RTS_EXIT_FAILED;
        }
    }
    switch (options.command) {
    case RTS_COMMAND_VERSION:
        (void)printf("rtstone-engine %s (port %s, record stream %s, plan %s)\n", RTS_ENGINE_VERSION, RTS_PORT_NAME,
                     RTS_STREAM_VERSION, RTS_PLAN_VERSION);
        break;
    case RTS_COMMAND_LIST:
        rts_list(options.json);
        break;
    case RTS_COMMAND_RUN:
        return run(&options);
    case RTS_COMMAND_HELP:
    default:
        help();
        break;
    }
    return fflush(stdout) == 0 ? RTS_EXIT_OK : RTS_EXIT_FAILED;
}
