/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program rtstone-engine-simulated: a plan on standard input, the record stream of a scripted kernel on standard output.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rtstone/engine.h"
#include "rtstone/measurement.h"
#include "simulated.h"

static long read_input(void *arg, char *buffer, size_t room)
{
    (void)arg;
    long got;
    do {
        got = read(STDIN_FILENO, buffer, room);
    } while (got < 0 && errno == EINTR);
    return got;
}

static rts_status write_output(void *arg, const char *bytes, size_t count)
{
    (void)arg;
    return fwrite(bytes, 1, count, stdout) == count ? RTS_OK : RTS_FAILED;
}

static int list(void)
{
    for (size_t i = 0; i < rts_measurement_count; i++) {
        printf("%-30s %s\n", rts_measurements[i]->name, rts_measurements[i]->summary);
    }
    return RTS_EXIT_OK;
}

static int help(void)
{
    printf("usage: rtstone-engine-simulated [--script NAME] [list | run]\n\n"
           "Reads a plan from standard input and writes the record stream of a scripted kernel to\n"
           "standard output; time is virtual and the same plan gives the same bytes.\n\nscripts:\n");
    for (size_t i = 0; i < sim_script_count; i++) {
        printf("  %-12s %s\n", sim_scripts[i].name, sim_scripts[i].summary);
    }
    printf("\nexit codes: 0 done, 2 usage or a bad plan, 3 failed, 130 interrupted\n");
    return RTS_EXIT_OK;
}

static int usage(const char *what, const char *which)
{
    fprintf(stderr, "rtstone-engine-simulated: %s '%s' (see --help)\n", what, which);
    return RTS_EXIT_USAGE;
}

static int run_engine(void *unused)
{
    (void)unused;
    return rts_engine_run(NULL);
}

int main(int argc, char **argv)
{
    const sim_script *script = sim_script_find("steady");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return help();
        }
        if (strcmp(argv[i], "list") == 0) {
            return list();
        }
        if (strcmp(argv[i], "run") == 0) {
            continue;
        }
        if (strcmp(argv[i], "--script") != 0) {
            return usage("unknown argument", argv[i]);
        }
        if (++i == argc) {
            return usage("no name after", "--script");
        }
        script = sim_script_find(argv[i]);
        if (script == NULL) {
            return usage("unknown script", argv[i]);
        }
    }
    static char buffer[1 << 16];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    const sim_io io = {.read = read_input, .write = write_output};
    const sim_outcome outcome = sim_run(script, &io, run_engine, NULL);
    if (fflush(stdout) != 0) {
        return RTS_EXIT_FAILED;
    }
    if (outcome.fatal != NULL) {
        fprintf(stderr, "rtstone-engine-simulated: %s\n", outcome.fatal);
    }
    return outcome.exit_code;
}
