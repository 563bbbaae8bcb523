/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * On RTEMS the tasks of libbsd: its interrupt server IRQS, the timer server TIME with its callouts, and its other threads, named _BSD.
 */
#include <string.h>

#include <rtems.h>
#include <rtems/score/thread.h>

#include "network_threads.h"

#define ABOVE 5u /* all that is measured begins at 10 */
#define MOST 16u

const char ioc_network_threads_need[] = "this image has no tasks of libbsd";

static struct {
    rtems_id task;
    rtems_task_priority before;
} raised[MOST];
static unsigned count;
static unsigned found;

static bool note(rtems_tcb *thread, void *unused)
{
    char name[16] = "";
    (void)unused;
    (void)rtems_object_get_name(thread->Object.id, sizeof name, name);
    if (found < MOST && (strcmp(name, "_BSD") == 0 || strcmp(name, "IRQS") == 0 || strcmp(name, "TIME") == 0)) {
        raised[found++].task = thread->Object.id;
    }
    return false;
}

static void find(void)
{
    found = 0;
    rtems_task_iterate(note, NULL);
}

bool ioc_network_threads_there(void)
{
    find();
    return found > 0;
}

unsigned ioc_network_threads_raise(void)
{
    find();
    count = 0;
    for (unsigned i = 0; i < found; i++) {
        if (rtems_task_set_priority(raised[i].task, ABOVE, &raised[i].before) == RTEMS_SUCCESSFUL) {
            raised[count++] = raised[i];
        }
    }
    return count;
}

void ioc_network_threads_restore(void)
{
    for (unsigned i = 0; i < count; i++) {
        rtems_task_priority now;
        (void)rtems_task_set_priority(raised[i].task, raised[i].before, &now);
    }
    count = 0;
}

void ioc_network_threads_achieved(rts_load_fact_fn fact, void *arg)
{
    fact(arg, "raised_interrupt_threads", found);
    fact(arg, "interrupt_thread_priority", ABOVE);
}
