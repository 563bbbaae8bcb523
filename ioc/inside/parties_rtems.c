/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Threads and their priorities, as RTEMS lists them: its own numbers, of which a lower one is more urgent.
 */
#include "parties.h"

#include <stdio.h>
#include <string.h>

#include <epicsThread.h>
#include <rtems.h>
#include <rtems/score/thread.h>

#define MOST 128u

typedef struct party {
    char name[32];
    rtems_task_priority priority;
} party;

static rtems_id found[MOST];
static size_t found_count;
static size_t left_out;

static bool note(rtems_tcb *thread, void *unused)
{
    (void)unused;
    if (found_count < MOST) {
        found[found_count++] = thread->Object.id;
    } else {
        left_out++;
    }
    return false;
}

static rtems_id wanted;
static epicsThreadId wanted_is;

static void compare(epicsThreadId thread)
{
    if ((rtems_id)epicsThreadGetPosixThreadId(thread) == wanted) {
        wanted_is = thread;
    }
}

/** RTEMS does not know the names of EPICS' threads, which are POSIX'. */
static void name_of_epics(rtems_id thread, char *name, size_t room)
{
    wanted = thread;
    wanted_is = NULL;
    epicsThreadMap(compare);
    if (wanted_is != NULL) {
        epicsThreadGetName(wanted_is, name, room);
    }
}

static bool look(rtems_id thread, party *one)
{
    if (rtems_object_get_name(thread, sizeof one->name, one->name) == NULL ||
        rtems_task_set_priority(thread, RTEMS_CURRENT_PRIORITY, &one->priority) != RTEMS_SUCCESSFUL) {
        return false;
    }
    if (one->name[0] == '\0') {
        name_of_epics(thread, one->name, sizeof one->name);
    }
    return true;
}

void parties_describe(rts_fact_fn fact, void *arg)
{
    static party parties[MOST];
    size_t count = 0;
    found_count = 0;
    left_out = 0;
    rtems_task_iterate(note, NULL);
    for (size_t i = 0; i < found_count; i++) {
        party one;
        if (!look(found[i], &one)) {
            continue;
        }
        size_t same = 0;
        while (same < count && strcmp(parties[same].name, one.name) != 0) {
            same++;
        }
        if (same == count) {
            parties[count++] = one;
        } else if (parties[same].priority != one.priority) {
            left_out++;
        }
    }
    for (size_t i = 0; i < count; i++) {
        char key[48];
        char text[24];
        (void)snprintf(key, sizeof key, "priority.%.31s", parties[i].name[0] != '\0' ? parties[i].name : "unnamed");
        (void)snprintf(text, sizeof text, "rtems %u", (unsigned)parties[i].priority);
        fact(arg, key, text);
    }
    if (left_out > 0) {
        char text[24];
        (void)snprintf(text, sizeof text, "%u", (unsigned)left_out);
        fact(arg, "priority.more", text);
    }
}
