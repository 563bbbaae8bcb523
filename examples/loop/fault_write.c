/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The cycle writes to a pipe that is full, and another thread drains it late.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "fault.h"
#include "settings.h"
#include "threads.h"

enum { ROOM_AT_MOST = 65536, DRAINED = 0 };

static int ends[2];
static size_t room; /* of the pipe: the least that the kernel gives, a page */
static unsigned char block[ROOM_AT_MOST], drained[ROOM_AT_MOST];
static helper drainer;

static void drain(plant *planted)
{
    sleep_until(planted->start_ns + planted->drawn_ns);
    planted->details[DRAINED] = now_ns();
    (void)!read(ends[0], drained, room); /* the loop's block fills the pipe again */
}

static int prepare(const settings *from, const char **why)
{
    *why = "a pipe";
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return errno;
    }
    const int given = fcntl(ends[1], F_SETPIPE_SZ, 1);
    if (given <= 0 || given > ROOM_AT_MOST) {
        return given < 0 ? errno : ENOTSUP;
    }
    room = (size_t)given;
    if (write(ends[1], block, room) != given) {
        return errno;
    }
    *why = "the thread drain";
    return helper_start(&drainer, "drain", settings_below(from), from->cpu, drain);
}

static bool inside(plant *planted)
{
    plant_begin(planted);
    helper_ask(&drainer, planted);
    (void)!write(ends[1], block, room);
    plant_end(planted);
    return true;
}

static void finish(void)
{
    helper_end(&drainer);
}

extern const fault fault_write;
const fault fault_write = {
    .name = "write",
    .summary = "the cycle writes to a full pipe, which is drained late",
    .details = {[DRAINED] = "drained_ns"},
    .prepare = prepare,
    .inside = inside,
    .finish = finish,
};
