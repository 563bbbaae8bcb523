/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The engine inside an IOC: the shell command engineRun, by which the process that serves the records does what a plan asks for.
 *
 * It is the engine's POSIX port as it is in a program of its own; only its records go to a line of their own, since standard output is the
 * IOC's, and signals are the IOC's again when it ends. As in that program, the probe module's device is its own from then on until the process ends. A plan `-` is standard input's: on
 * a live machine, where the engine ends with the program that started it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <iocsh.h>

#include "describe.h"
#include "options.h"
#include "posix.h"
#include "rtstone/engine.h"

/* ports/posix/main.c, whose main() has this name here. */
int rtstone_engine_main(int count, char *words[]);

/** What the engine is asked to do: returns its words. A board's sessions are the same to the byte; here each has a number of its own. */
static int ask(char *words[8], const char *plan, const char *probe)
{
    int count = 0;
    words[count++] = "rtstone-engine";
    words[count++] = "run";
    words[count++] = strcmp(plan, "-") == 0 ? "--with-parent" : "--derive-nonce";
    words[count++] = "--plan";
    words[count++] = (char *)plan;
    if (probe != NULL && probe[0] != '\0') {
        words[count++] = "--probe";
        words[count++] = (char *)probe;
    }
    words[count] = NULL;
    return count;
}

static int run(const char *records, const char *plan, const char *probe)
{
    char *words[8];
    const int count = ask(words, plan, probe);
    const int line = open(records, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (line < 0) {
        (void)fprintf(stderr, "engineRun: %s: %s\n", records, strerror(errno));
        return RTS_EXIT_FAILED;
    }
    rts_posix_describe_also = ioc_describe;
    rts_posix_records_to(line);
    const int code = rtstone_engine_main(count, words);
    rts_posix_signals_restore();
    rts_posix_records_to(STDOUT_FILENO);
    (void)tcdrain(line);
    (void)close(line);
    return code;
}

static void command(const iocshArgBuf *args)
{
    if (args[0].sval == NULL || args[1].sval == NULL) {
        (void)fprintf(stderr, "usage: engineRun(where records go, the plan, the probe module's device or nothing)\n");
        (void)iocshSetError(-1);
        return;
    }
    const int code = run(args[0].sval, args[1].sval, args[2].sval);
    if (code != RTS_EXIT_OK) {
        (void)fprintf(stderr, "engineRun: the engine ended with %d\n", code);
        (void)iocshSetError(-1);
    }
}

/** Once the library is loaded: it is no part of a database, so that none needs to name it. */
__attribute__((constructor)) static void register_command(void)
{
    static const iocshArg records = {"where records go", iocshArgString};
    static const iocshArg plan = {"plan", iocshArgString};
    static const iocshArg probe = {"probe module's device", iocshArgString};
    static const iocshArg *const args[] = {&records, &plan, &probe};
    static const iocshFuncDef def = {"engineRun", 3, args, "Measures what a plan asks for, in this process.\n"};
    iocshRegister(&def, command);
}
