/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The loop needs a lock that a thread of a lower priority holds, while a thread of a priority between them computes: priority
 * inversion. With inheritance the holder has the loop's priority for as long, and only its own section delays the loop.
 */
#include <pthread.h>
#include <semaphore.h>

#include "fault.h"
#include "settings.h"
#include "threads.h"

enum { SHORT_SECTION_NS = 50000, SPIN_BEGAN = 0, SPIN_ENDED, ASKED, GRANTED };

typedef struct inversion {
    pthread_mutex_t lock;
    plant *_Atomic held; /* what the holder holds the lock for, until the loop has asked */
    sem_t asked;         /* the loop is about to ask for the lock */
    helper middle;       /* the thread between them */
    atomic_bool over;
} inversion;

static inversion plain, inheriting;

/* The thread between: computes for the drawn length. */
static void spin_middle(plant *planted)
{
    planted->details[SPIN_BEGAN] = now_ns();
    spin_until(planted->details[SPIN_BEGAN] + planted->drawn_ns);
    planted->details[SPIN_ENDED] = now_ns();
}

static int prepare(inversion *at, int protocol, const settings *from, const char **why)
{
    pthread_mutexattr_t attributes;
    (void)pthread_mutexattr_init(&attributes);
    int error = pthread_mutexattr_setprotocol(&attributes, protocol);
    if (error == 0) {
        error = pthread_mutex_init(&at->lock, &attributes);
    }
    (void)pthread_mutexattr_destroy(&attributes);
    if (error != 0) {
        *why = "a mutex with priority inheritance";
        return error;
    }
    (void)sem_init(&at->asked, 0, 0);
    *why = "the thread spin-middle";
    return helper_start(&at->middle, "spin-middle", from->priority - 1, from->cpu, spin_middle);
}

/* In the holder. Its section is one of CPU time: a thread that computes meanwhile makes it longer. */
static void hold(inversion *at, plant *planted, uint64_t section_ns)
{
    (void)pthread_mutex_lock(&at->lock);
    plant_begin(planted);
    atomic_store(&at->held, planted);
    take(&at->asked);
    if (atomic_load(&at->over)) {
        atomic_store(&planted->state, PLANTED);
    } else {
        helper_ask(&at->middle, planted);
        const uint64_t until = thread_cpu_ns() + section_ns;
        while (thread_cpu_ns() < until) {
        }
        plant_end(planted);
    }
    (void)pthread_mutex_unlock(&at->lock);
}

/* In the loop. */
static bool ask(inversion *at, plant *planted)
{
    if (atomic_load(&at->held) != planted) {
        return false; /* the holder has not run yet */
    }
    atomic_store(&at->held, NULL);
    planted->details[ASKED] = now_ns();
    (void)sem_post(&at->asked);
    (void)pthread_mutex_lock(&at->lock);
    planted->details[GRANTED] = now_ns();
    (void)pthread_mutex_unlock(&at->lock);
    return true;
}

static void finish(inversion *at)
{
    atomic_store(&at->over, true);
    (void)sem_post(&at->asked);
    helper_end(&at->middle);
}

static int plain_prepare(const settings *from, const char **why)
{
    return prepare(&plain, PTHREAD_PRIO_NONE, from, why);
}

static void plain_outside(plant *planted)
{
    hold(&plain, planted, SHORT_SECTION_NS);
}

static bool plain_inside(plant *planted)
{
    return ask(&plain, planted);
}

static void plain_finish(void)
{
    finish(&plain);
}

static int inheriting_prepare(const settings *from, const char **why)
{
    return prepare(&inheriting, PTHREAD_PRIO_INHERIT, from, why);
}

static void inheriting_outside(plant *planted)
{
    hold(&inheriting, planted, planted->drawn_ns);
}

static bool inheriting_inside(plant *planted)
{
    return ask(&inheriting, planted);
}

static void inheriting_finish(void)
{
    finish(&inheriting);
}

#define DETAILS                                                                                                        \
    {                                                                                                                  \
        [SPIN_BEGAN] = "spin_start_ns", [SPIN_ENDED] = "spin_end_ns", [ASKED] = "asked_ns", [GRANTED] = "granted_ns"   \
    }

extern const fault fault_lock, fault_lock_inherit;
const fault fault_lock = {
    .name = "lock",
    .summary = "a lower thread holds a lock while a thread between computes",
    .details = DETAILS,
    .thread = "lock-low",
    .above = -2,
    .priority_min = 3,
    .prepare = plain_prepare,
    .outside = plain_outside,
    .inside = plain_inside,
    .finish = plain_finish,
};
const fault fault_lock_inherit = {
    .name = "lock-inherit",
    .summary = "the lock has priority inheritance, and its holder computes",
    .details = DETAILS,
    .thread = "lock-low",
    .above = -2,
    .priority_min = 3,
    .prepare = inheriting_prepare,
    .outside = inheriting_outside,
    .inside = inheriting_inside,
    .finish = inheriting_finish,
};
