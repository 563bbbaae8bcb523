/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The simulated kernel: virtual time, and one CPU that always runs the most urgent task.
 */
#include "task.h"

#include <string.h>

#include "rtstone/engine.h"

#define FOREVER UINT64_MAX

static struct {
    struct sim_waiters ready[SIM_LEVELS];
    struct sim_task *current;
    unsigned last_space;
    rts_ticks now;
    bool in_kernel; /* no task switch inside */
    bool held;      /* a fault: no switch until the running task gives up the CPU */
    bool in_isr;
    uint64_t switches;
    ucontext_t outside;
    int (*entry)(void *);
    void *entry_arg;
    sim_outcome outcome;
} kernel;

/* Outside of a simulation, the port answers questions as this script has it, and nothing costs time. */
#define AT_REST (&sim_scripts[0])

const sim_script *sim_active = AT_REST;
const sim_io *sim_active_io;

rts_ticks sim_now(void)
{
    return kernel.now;
}

struct sim_task *sim_current(void)
{
    return kernel.current;
}

bool sim_in_isr(void)
{
    return kernel.in_isr;
}

void sim_hold(void)
{
    kernel.held = true;
}

uint64_t sim_switches(void)
{
    return kernel.switches;
}

/* ---- lists ---------------------------------------------------------------------------------- */

static void insert_last(struct sim_waiters *list, struct sim_task *task)
{
    struct sim_task **at = &list->first;
    while (*at != NULL && (*at)->level >= task->level) {
        at = &(*at)->next;
    }
    task->next = *at;
    *at = task;
}

static void insert_first(struct sim_waiters *list, struct sim_task *task)
{
    task->next = list->first;
    list->first = task;
}

static void take_out(struct sim_waiters *list, const struct sim_task *task)
{
    struct sim_task **at = &list->first;
    while (*at != NULL && *at != task) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = task->next;
    }
}

struct sim_task *sim_most_urgent(void)
{
    for (unsigned level = SIM_LEVELS; level-- > 0;) {
        if (kernel.ready[level].first != NULL) {
            return kernel.ready[level].first;
        }
    }
    return NULL;
}

void sim_make_ready(struct sim_task *task)
{
    task->state = READY;
    if (!task->suspended) {
        insert_last(&kernel.ready[task->level], task);
    }
}

void sim_make_unready(struct sim_task *task)
{
    take_out(&kernel.ready[task->level], task);
}

/* ---- time ----------------------------------------------------------------------------------- */

static struct sim_task *next_sleeper(void)
{
    struct sim_task *first = NULL;
    for (unsigned i = 0; i < SIM_TASKS; i++) {
        struct sim_task *task = &sim_tasks[i];
        if (task->state == SLEEPING && (first == NULL || task->wake_at < first->wake_at)) {
            first = task;
        }
    }
    return first;
}

static rts_ticks next_event(void)
{
    const struct sim_task *sleeper = next_sleeper();
    const rts_ticks measured = sim_timer_due();
    const rts_ticks other = sim_traffic_due();
    const rts_ticks due = measured < other ? measured : other;
    return sleeper != NULL && sleeper->wake_at < due ? sleeper->wake_at : due;
}

/* What falls due now; the handler's own time passes too. */
static void handle_event(void)
{
    struct sim_task *sleeper = next_sleeper();
    if (sleeper != NULL && sleeper->wake_at <= kernel.now) {
        sim_make_ready(sleeper);
        return;
    }
    kernel.in_isr = true;
    if (sim_timer_due() <= kernel.now) {
        sim_timer_deliver(); /* of two that are due, the measured one */
    } else {
        sim_traffic_deliver();
    }
    kernel.in_isr = false;
}

/* Time of the kernel itself: interrupts come, but no task does. */
static void pass(rts_ticks ticks)
{
    rts_ticks left = ticks;
    for (rts_ticks due = next_event(); due <= kernel.now + left; due = next_event()) {
        if (due > kernel.now) {
            left -= due - kernel.now;
            kernel.now = due;
        }
        handle_event();
    }
    kernel.now += left;
}

void sim_advance(rts_ticks ticks)
{
    if (kernel.in_isr) {
        kernel.now += ticks; /* the measured interrupt is the highest: nothing breaks into it */
        return;
    }
    struct sim_task *task = kernel.current;
    rts_ticks left = ticks;
    for (rts_ticks due = next_event(); due <= kernel.now + left; due = next_event()) {
        if (due > kernel.now) {
            left -= due - kernel.now;
            kernel.now = due;
        }
        handle_event();
        sim_preempt(); /* the rest of this time passes when the task is back */
    }
    kernel.now += left;
    task->used += ticks;
    task->quantum_used += ticks;
    sim_preempt();
}

/* ---- scheduler ------------------------------------------------------------------------------ */

static _Noreturn void leave(void)
{
    setcontext(&kernel.outside);
    for (;;) {
    }
}

/* A load computes for ever: nobody will ever stop it when all that could is waiting for something that only others could do. */
static bool only_load_is_left(void)
{
    bool load = false;
    for (unsigned i = 0; i < SIM_TASKS; i++) {
        const struct sim_task *task = &sim_tasks[i];
        const bool runs = (task->state == READY && !task->suspended) || task->state == RUNNING;
        if ((runs && !task->is_load) || (task->is_load && task->joiners.first != NULL)) {
            return false; /* something else can run, or somebody waits for a load that ends by itself */
        }
        load = load || (runs && task->is_load);
    }
    return load && next_event() == FOREVER;
}

void sim_dispatch(void)
{
    struct sim_task *previous = kernel.current;
    struct sim_task *next;
    kernel.in_kernel = true;
    kernel.held = false;
    for (;;) {
        next = sim_most_urgent();
        if (next == NULL ? next_event() == FOREVER : next->is_load && only_load_is_left()) {
            rts_port_fatal("deadlock: no thread can ever run again");
        }
        if (next == NULL) {
            const rts_ticks due = next_event();
            kernel.now = due > kernel.now ? due : kernel.now;
            handle_event();
            continue;
        }
        rts_ticks cost = sim_active->cost[SIM_SWITCH];
        if (next->space != kernel.last_space) {
            cost += sim_active->cost[SIM_PROCESS_SWITCH];
        }
        pass(cost);
        if (sim_most_urgent() == next) {
            break;
        }
    }
    kernel.in_kernel = false;
    sim_make_unready(next);
    next->state = RUNNING;
    next->quantum_used = 0;
    kernel.current = next;
    kernel.last_space = next->space;
    kernel.switches++;
    if (next != previous) {
        swapcontext(&previous->context, &next->context);
    }
}

static bool quantum_is_over(const struct sim_task *task)
{
    return task->level == 0 && sim_active->quantum != 0 && task->quantum_used >= sim_active->quantum;
}

void sim_preempt(void)
{
    struct sim_task *task = kernel.current;
    const struct sim_task *other = sim_most_urgent();
    if (kernel.in_isr || kernel.in_kernel || kernel.held || other == NULL) {
        return;
    }
    if (other->level > task->level) {
        task->state = READY;
        insert_first(&kernel.ready[task->level], task);
        sim_dispatch();
    } else if (other->level == task->level && quantum_is_over(task)) {
        sim_make_ready(task);
        sim_dispatch();
    }
}

void sim_block(struct sim_waiters *waiters)
{
    if (kernel.in_isr) {
        rts_port_fatal("an interrupt handler tried to wait");
    }
    struct sim_task *task = kernel.current;
    task->state = WAITING;
    task->queue = waiters;
    task->voluntary++;
    insert_last(waiters, task);
    sim_dispatch();
}

struct sim_task *sim_wake_first(struct sim_waiters *waiters)
{
    struct sim_task *task = waiters->first;
    if (task != NULL) {
        waiters->first = task->next;
        task->queue = NULL;
        sim_make_ready(task);
    }
    return task;
}

static void move_to_level(struct sim_task *task, unsigned level)
{
    const bool listed = task->state == READY && !task->suspended;
    if (listed) {
        sim_make_unready(task);
    }
    task->level = level;
    if (listed) {
        insert_last(&kernel.ready[level], task);
    }
}

void sim_inherit(struct sim_task *task)
{
    if (kernel.current->level > task->level) {
        move_to_level(task, kernel.current->level);
    }
}

void sim_disinherit(struct sim_task *task)
{
    if (task->level != task->base) {
        move_to_level(task, task->base);
    }
}

/* ---- running -------------------------------------------------------------------------------- */

static void engine_main(void *arg)
{
    (void)arg;
    kernel.outcome.exit_code = kernel.entry(kernel.entry_arg);
    leave();
}

sim_outcome sim_run(const sim_script *script, const sim_io *io, int (*entry)(void *), void *arg)
{
    memset(&kernel, 0, sizeof kernel);
    sim_tasks_reset();
    sim_calls_reset();
    sim_timer_reset();
    sim_traffic_reset();
    sim_active = script;
    sim_active_io = io;
    kernel.entry = entry;
    kernel.entry_arg = arg;
    kernel.outcome.exit_code = RTS_EXIT_FAILED;
    /* The engine's own thread: above the load, not above anything that is measured. */
    const rts_thread_attr attr = {.name = "engine", .priority = RTS_PRIORITY_LOW};
    struct sim_task *task = sim_task_new(&attr, engine_main, NULL);
    task->state = RUNNING;
    kernel.current = task;
    swapcontext(&kernel.outside, &task->context); /* comes back by leave */
    kernel.outcome.now = kernel.now;
    kernel.current = NULL;
    sim_active = AT_REST;
    sim_memory_release();
    return kernel.outcome;
}

_Noreturn void rts_port_fatal(const char *why)
{
    kernel.outcome.fatal = why;
    kernel.outcome.exit_code = RTS_EXIT_FAILED;
    leave();
}
