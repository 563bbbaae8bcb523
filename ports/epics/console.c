/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Bytes in and out by the C library's streams, which every system of libCom's has.
 */
#include <signal.h>
#include <stdlib.h>

#include "epics.h"
#include "rtstone/engine.h"

static FILE *plan;
static volatile sig_atomic_t interrupted;

static void on_end(int signal)
{
    (void)signal;
    interrupted = 1;
}

void rts_epics_plan_from(FILE *file)
{
    plan = file;
}

void rts_epics_signals(void)
{
    (void)signal(SIGINT, on_end);
    (void)signal(SIGTERM, on_end);
#ifdef SIGPIPE
    (void)signal(SIGPIPE, SIG_IGN);
#endif
}

rts_status rts_port_console_write(const char *bytes, size_t count)
{
    return fwrite(bytes, 1, count, stdout) == count && fflush(stdout) == 0 ? RTS_OK : RTS_FAILED;
}

long rts_port_plan_read(char *buffer, size_t room)
{
    if (plan == NULL) {
        return 0;
    }
    const size_t got = fread(buffer, 1, room, plan);
    return got == 0 && ferror(plan) ? -1 : (long)got;
}

bool rts_port_interrupted(void)
{
    return interrupted != 0;
}

_Noreturn void rts_port_fatal(const char *why)
{
    (void)fprintf(stderr, "rtstone-engine-epics: %s\n", why);
    _Exit(RTS_EXIT_FAILED);
}
