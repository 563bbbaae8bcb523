/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The table of the faults, their stamps, and their helpers.
 */
#include <string.h>

#include "fault.h"
#include "threads.h"

#define FAULT(name) extern const fault name;
#include "faults.def"
#undef FAULT

static const fault *const all[] = {
#define FAULT(name) &(name),
#include "faults.def"
#undef FAULT
};

const fault *fault_at(uint32_t index)
{
    return index < sizeof all / sizeof all[0] ? all[index] : NULL;
}

const fault *fault_find(const char *name)
{
    for (uint32_t index = 0; fault_at(index) != NULL; ++index) {
        if (strcmp(all[index]->name, name) == 0) {
            return all[index];
        }
    }
    return NULL;
}

void plant_begin(plant *planted)
{
    planted->thread = thread_id();
    atomic_store(&planted->state, BEGUN);
    planted->start_ns = now_ns();
}

void plant_end(plant *planted)
{
    planted->end_ns = now_ns();
    atomic_store(&planted->state, DONE);
}

static void help(void *arg)
{
    helper *const of = arg;
    for (;;) {
        take(&of->asked);
        if (atomic_load(&of->over)) {
            return;
        }
        of->work(of->planted);
    }
}

int helper_start(helper *of, const char *name, int priority, int cpu, void (*work)(plant *planted))
{
    of->work = work;
    (void)sem_init(&of->asked, 0, 0);
    return thread_start(&of->thread, name, priority, cpu, help, of);
}

void helper_ask(helper *of, plant *planted)
{
    of->planted = planted;
    (void)sem_post(&of->asked);
}

void helper_end(helper *of)
{
    atomic_store(&of->over, true);
    (void)sem_post(&of->asked);
    (void)pthread_join(of->thread, NULL);
}
