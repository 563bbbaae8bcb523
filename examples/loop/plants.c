/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The planted faults of a run.
 */
#include "plants.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads.h"

/* One for each fault that has a thread, or a process, of its own. */
typedef struct carrier {
    const fault *fault;
    sem_t wake; /* the first: begin; the second: end */
    pthread_t thread;
} carrier;

/* Shared with the parent of plants_fork. */
typedef struct shared {
    uint64_t base_ns, period_ns;
    carrier carriers[FAULTS_AT_MOST];
    uint32_t count;
    plant plants[];
} shared;

static shared *all;
static uint32_t next_inside;
static pid_t child;

/* splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* From low to high, both included. */
static uint64_t draw_between(uint64_t *state, uint64_t low, uint64_t high)
{
    return low + draw(state) % (high - low + 1);
}

static void plant_one(const settings *from, const fault *of, uint64_t cycle, uint64_t *state)
{
    plant *const planted = &all->plants[all->count++];
    planted->fault = of;
    planted->cycle = cycle;
    planted->drawn_ns = draw_between(state, from->length_min_ns, from->length_max_ns);
    const uint64_t lead_ns = draw_between(state, from->period_ns / 8, from->period_ns / 4);
    planted->lead_ns = of->outside != NULL ? lead_ns : 0;
}

void plants_draw(const settings *from)
{
    const uint64_t each = from->together ? from->fault_count : 1;
    const uint64_t room = from->fault_count > 0 ? from->cycles / from->every * each : 0;
    const size_t bytes = sizeof *all + (size_t)room * sizeof all->plants[0];
    all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) {
        settings_refused(from, "memory for the planted faults", errno);
    }
    all->period_ns = from->period_ns;
    uint64_t state = from->seed;
    /* Half of the distance is drawn, the other half lies between any two. Behind the last is a whole distance. */
    for (uint64_t cycle = from->every; all->count < room; cycle += from->every) {
        if (cycle + from->every + from->every / 2 > from->cycles) {
            break;
        }
        const uint64_t hit = cycle + draw(&state) % (from->every / 2);
        for (uint64_t index = 0; index < each; ++index) {
            const uint64_t which = from->together ? index : draw(&state) % from->fault_count;
            plant_one(from, from->faults[which], hit, &state);
        }
    }
    for (uint32_t index = 0; index < from->fault_count; ++index) {
        all->carriers[index].fault = from->faults[index];
        (void)sem_init(&all->carriers[index].wake, 1, 0);
    }
}

/* In the thread, or process, that carries out this fault. */
static void carry_out(void *arg)
{
    carrier *const carrying = arg;
    take(&carrying->wake);
    if (all->base_ns == 0) {
        return; /* the child ended before it began */
    }
    for (uint32_t index = 0; index < all->count; ++index) {
        plant *const planted = &all->plants[index];
        if (planted->fault == carrying->fault) {
            if (take_until(&carrying->wake, all->base_ns + planted->cycle * all->period_ns - planted->lead_ns)) {
                return;
            }
            carrying->fault->outside(planted);
        }
    }
}

static int carrier_priority(const settings *from, const fault *of)
{
    const int priority = from->priority + of->above;
    return from->priority == 0 ? 0 : priority > 1 ? priority : 1;
}

static void pass_on(int signal)
{
    (void)kill(child, signal);
}

static sem_t *parent_wake;

static void on_child_ended(int signal)
{
    (void)signal;
    (void)sem_post(parent_wake);
}

static int exit_code(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The parent: it has no threads, and nothing to print. */
_Noreturn static void parent_of(const settings *from, carrier *carrying)
{
    const struct sigaction action = {.sa_handler = pass_on};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    const struct sigaction ended = {.sa_handler = on_child_ended, .sa_flags = SA_NOCLDSTOP};
    parent_wake = &carrying->wake;
    (void)sigaction(SIGCHLD, &ended, NULL);
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) { /* before that was set */
        _exit(exit_code(status));
    }
    /* Refused: the child is refused the same, and reports it. */
    (void)thread_become(carrying->fault->thread, carrier_priority(from, carrying->fault), from->cpu);
    carry_out(carrying);
    while (waitpid(child, &status, 0) != child) {
        if (errno != EINTR) {
            _exit(REFUSED);
        }
    }
    _exit(exit_code(status));
}

void plants_fork(const settings *from)
{
    for (uint32_t index = 0; index < from->fault_count; ++index) {
        if (from->faults[index]->by_process) {
            const pid_t parent = getpid();
            child = fork();
            if (child < 0) {
                settings_refused(from, "a second process", errno);
            }
            if (child > 0) {
                parent_of(from, &all->carriers[index]);
            }
            (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* it would stay stopped */
            if (getppid() != parent) {
                (void)raise(SIGKILL);
            }
            return;
        }
    }
}

pid_t plants_child(void)
{
    return child;
}

void plants_prepare(const settings *from)
{
    for (uint32_t index = 0; index < from->fault_count; ++index) {
        carrier *const carrying = &all->carriers[index];
        const fault *const of = carrying->fault;
        const char *why = of->thread;
        int error = of->prepare != NULL ? of->prepare(from, &why) : 0;
        if (error == 0 && of->outside != NULL && !of->by_process) {
            why = of->thread;
            error =
                thread_start(&carrying->thread, of->thread, carrier_priority(from, of), from->cpu, carry_out, carrying);
        }
        if (error != 0) {
            settings_refused(from, why, error);
        }
    }
}

void plants_go(uint64_t base_ns)
{
    all->base_ns = base_ns;
    for (uint32_t index = 0; all->carriers[index].fault != NULL; ++index) {
        (void)sem_post(&all->carriers[index].wake);
    }
}

void plants_inside(uint64_t cycle)
{
    for (; next_inside < all->count && all->plants[next_inside].cycle <= cycle; ++next_inside) {
        plant *const planted = &all->plants[next_inside];
        if (planted->fault->inside != NULL && !planted->fault->inside(planted)) {
            return;
        }
    }
}

void plants_finish(void)
{
    for (uint32_t index = 0; all->carriers[index].fault != NULL; ++index) {
        (void)sem_post(&all->carriers[index].wake);
        if (all->carriers[index].fault->finish != NULL) {
            all->carriers[index].fault->finish();
        }
    }
    for (uint32_t index = 0; all->carriers[index].fault != NULL; ++index) {
        const fault *const of = all->carriers[index].fault;
        if (of->outside != NULL && !of->by_process) {
            (void)pthread_join(all->carriers[index].thread, NULL);
        }
    }
}

const plant *plants_at(uint32_t index)
{
    return index < all->count ? &all->plants[index] : NULL;
}
