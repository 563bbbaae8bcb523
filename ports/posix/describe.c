/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The target as POSIX describes it: kernel, compiler, scheduling in use. The system's own folder reports the other facts.
 */
#include <stdio.h>
#include <sys/utsname.h>

#include "posix.h"

#ifndef RTS_POSIX_BUILD_FLAGS
#define RTS_POSIX_BUILD_FLAGS ""
#endif

#if defined(__clang__)
#define COMPILER "clang " __VERSION__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER ""
#endif

void (*rts_posix_describe_also)(rts_fact_fn fact, void *arg);

void rts_port_describe(rts_fact_fn fact, void *arg)
{
    rts_posix_take();
    struct utsname names;
    if (uname(&names) >= 0) {
        fact(arg, "kernel.sysname", names.sysname);
        fact(arg, "kernel.release", names.release);
        fact(arg, "kernel.version", names.version);
        fact(arg, "kernel.machine", names.machine);
    }
    if (sizeof COMPILER > 1) {
        fact(arg, "compiler", COMPILER);
    }
    if (sizeof RTS_POSIX_BUILD_FLAGS > 1) {
        fact(arg, "compiler.flags", RTS_POSIX_BUILD_FLAGS);
    }
    fact(arg, "sched.rt", rts_posix_realtime() ? "SCHED_FIFO" : "SCHED_OTHER");
    fact(arg, "sched.ts", "SCHED_OTHER");
    if (rts_posix_realtime()) {
        char text[80];
        (void)snprintf(text, sizeof text, "low %d, middle %d, high %d, top %d, handler %d", RTS_POSIX_PRIORITY_LOW,
                       RTS_POSIX_PRIORITY_MIDDLE, RTS_POSIX_PRIORITY_HIGH, RTS_POSIX_PRIORITY_TOP,
                       RTS_POSIX_PRIORITY_HANDLER);
        fact(arg, "sched.priorities", text);
    }
    if (rts_posix_clock_chosen() != NULL) {
        fact(arg, "clock.chosen", rts_posix_clock_chosen());
    }
    fact(arg, "changed.memory_locked", rts_posix_locked() ? "yes" : "no");
    fact(arg, "timer.default", rts_posix_probe() ? "probe" : RTS_POSIX_TIMER_PAIR);
    rts_system_describe(fact, arg);
    if (rts_posix_describe_also != NULL) {
        rts_posix_describe_also(fact, arg);
    }
}
