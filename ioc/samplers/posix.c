/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The engine's POSIX port in a program that is more than the engine.
 */
#include "posix.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "interrupts.h"

static void (*on_fatal)(const char *reason);

static void instead(const char *reason)
{
    on_fatal(reason);
    for (;;) {
        (void)pause();
    }
}

static void on_wake(int signal)
{
    (void)signal; /* its only use is that a sleep returns */
}

const char *interrupts_prepare(void (*fatal)(const char *reason))
{
    struct sigaction action; /* by which the timer's thread is woken so that it can end */
    memset(&action, 0, sizeof action);
    action.sa_handler = on_wake;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(RTS_POSIX_SIGNAL_WAKE, &action, NULL);
    on_fatal = fatal;
    rts_posix_fatal_instead = instead;
    return NULL;
}
