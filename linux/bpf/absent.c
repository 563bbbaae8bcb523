/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Replaces split.c and attach.c where the engine is built without BPF: reports that.
 */
#include "attach.h"
#include "rtstone/engine.h"
#include "split.h"

rts_status rts_system_split(void)
{
    return RTS_UNSUPPORTED;
}

const char *rts_system_split_why_not(void)
{
    return "this engine was built without BPF: " RTS_LINUX_NO_BPF;
}

rts_status rts_linux_split_watch(void)
{
    return RTS_UNSUPPORTED;
}

bool rts_linux_split_watched(void)
{
    return false;
}

rts_status rts_linux_split_attach(bool on)
{
    (void)on;
    return RTS_UNSUPPORTED;
}

void rts_linux_split_arm(rts_ticks due)
{
    (void)due;
}

void rts_linux_split_disarm(void) {}

bool rts_linux_split_take(rts_split_join *join)
{
    (void)join;
    return false;
}

rts_split_event rts_linux_split_flight(void)
{
    const rts_split_event none = {0};
    return none;
}

void rts_linux_split_line(int32_t number, const char *driver)
{
    (void)number;
    (void)driver;
}

uint64_t rts_linux_split_entries(void)
{
    return 0;
}

rts_ticks rts_linux_split_entered(uint64_t number)
{
    (void)number;
    return 0;
}

void rts_linux_split_trail(int32_t cpu, rts_ticks over)
{
    (void)cpu;
    (void)over;
}

void rts_linux_split_name(rts_event *event)
{
    (void)event;
}

size_t rts_linux_split_steps(rts_ticks due, rts_ticks until, rts_event *steps, size_t room)
{
    (void)due;
    (void)until;
    (void)steps;
    (void)room;
    return 0;
}

size_t rts_linux_split_stacks(rts_ticks due, rts_event calls[2 * RTS_SPLIT_CALLS])
{
    (void)due;
    (void)calls;
    return 0;
}

uint64_t rts_linux_split_missed(void)
{
    return 0;
}

rts_status rts_linux_split_time(bool on)
{
    (void)on;
    return RTS_UNSUPPORTED;
}

rts_split_cost rts_linux_split_cost(void)
{
    const rts_split_cost none = {0, 0};
    return none;
}

int rts_attach_main(int count, char *const words[], rts_attach_complain say)
{
    (void)count;
    (void)words;
    say("%s", rts_system_split_why_not());
    return RTS_EXIT_FAILED;
}
