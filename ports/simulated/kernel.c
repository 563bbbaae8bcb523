/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The simulated kernel: virtual time, and one CPU that always runs the most urgent task, each task a coroutine.
 */
#define _XOPEN_SOURCE 700 /* ucontext.h */

#include "kernel.h"

#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "rtstone/engine.h"

#define TASKS 40u
#define STACK_BYTES ((size_t)128 * 1024)
#define LEVELS ((unsigned)RTS_PRIORITY_COUNT)
#define NAMES 24u
#define FOREVER UINT64_MAX

typedef enum task_state { FREE = 0, READY, RUNNING, WAITING, SLEEPING, DONE } task_state;

struct sim_task {
    ucontext_t context;
    unsigned char *stack;
    void (*entry)(void *);
    void *arg;
    struct sim_task *next;     /* in the ready list or the waiters' list that it is in */
    struct sim_waiters *queue; /* the waiters' list that it is in */
    struct sim_waiters joiners;
    task_state state;
    bool suspended; /* not to run even when it has nothing to wait for */
    unsigned base, level;
    bool time_sharing, is_load;
    unsigned space;
    unsigned name; /* index of its row of counts */
    rts_ticks wake_at, used, quantum_used;
    uint64_t voluntary;
};

/* Counts are kept by name, since many tasks may bear one in turn. */
static struct {
    char name[16];
    uint64_t calls[SIM_CALL_COUNT];
} counted[NAMES];
static unsigned counted_names;

static struct {
    struct sim_task tasks[TASKS];
    struct sim_waiters ready[LEVELS];
    struct sim_task *current;
    unsigned last_space;
    rts_ticks now;
    bool in_kernel; /* no task switch inside */
    bool held;      /* a fault: no switch until the running task gives up the CPU */
    bool in_isr;
    uint64_t switches;
    uint64_t tail_calls;
    ucontext_t outside;
    int (*entry)(void *);
    void *entry_arg;
    sim_outcome outcome;
} kernel;

static unsigned char stacks[TASKS][STACK_BYTES] __attribute__((aligned(16)));

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

static struct sim_task *most_urgent(void)
{
    for (unsigned level = LEVELS; level-- > 0;) {
        if (kernel.ready[level].first != NULL) {
            return kernel.ready[level].first;
        }
    }
    return NULL;
}

static void make_ready(struct sim_task *task)
{
    task->state = READY;
    if (!task->suspended) {
        insert_last(&kernel.ready[task->level], task);
    }
}

/* ---- time ----------------------------------------------------------------------------------- */

static struct sim_task *next_sleeper(void)
{
    struct sim_task *first = NULL;
    for (unsigned i = 0; i < TASKS; i++) {
        struct sim_task *task = &kernel.tasks[i];
        if (task->state == SLEEPING && (first == NULL || task->wake_at < first->wake_at)) {
            first = task;
        }
    }
    return first;
}

static rts_ticks next_event(void)
{
    const struct sim_task *sleeper = next_sleeper();
    const rts_ticks due = sim_timer_due();
    return sleeper != NULL && sleeper->wake_at < due ? sleeper->wake_at : due;
}

/* What falls due now; the handler's own time passes too. */
static void handle_event(void)
{
    struct sim_task *sleeper = next_sleeper();
    if (sleeper != NULL && sleeper->wake_at <= kernel.now) {
        make_ready(sleeper);
        return;
    }
    kernel.in_isr = true;
    sim_timer_deliver();
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
    for (unsigned i = 0; i < TASKS; i++) {
        const struct sim_task *task = &kernel.tasks[i];
        const bool runs = (task->state == READY && !task->suspended) || task->state == RUNNING;
        if ((runs && !task->is_load) || (task->is_load && task->joiners.first != NULL)) {
            return false; /* something else can run, or somebody waits for a load that ends by itself */
        }
        load = load || (runs && task->is_load);
    }
    return load && next_event() == FOREVER;
}

/* Runs whatever is to run next; the caller has been put where it belongs, or is done. */
static void dispatch(void)
{
    struct sim_task *previous = kernel.current;
    struct sim_task *next;
    kernel.in_kernel = true;
    kernel.held = false;
    for (;;) {
        next = most_urgent();
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
        if (most_urgent() == next) {
            break;
        }
    }
    kernel.in_kernel = false;
    take_out(&kernel.ready[next->level], next);
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
    const struct sim_task *other = most_urgent();
    if (kernel.in_isr || kernel.in_kernel || kernel.held || other == NULL) {
        return;
    }
    if (other->level > task->level) {
        task->state = READY;
        insert_first(&kernel.ready[task->level], task);
        dispatch();
    } else if (other->level == task->level && quantum_is_over(task)) {
        make_ready(task);
        dispatch();
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
    dispatch();
}

struct sim_task *sim_wake_first(struct sim_waiters *waiters)
{
    struct sim_task *task = waiters->first;
    if (task != NULL) {
        waiters->first = task->next;
        task->queue = NULL;
        make_ready(task);
    }
    return task;
}

static void move_to_level(struct sim_task *task, unsigned level)
{
    const bool listed = task->state == READY && !task->suspended;
    if (listed) {
        take_out(&kernel.ready[task->level], task);
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

/* ---- calls ---------------------------------------------------------------------------------- */

static unsigned counted_name(const char *name)
{
    for (unsigned i = 0; i < counted_names; i++) {
        if (strncmp(counted[i].name, name, sizeof counted[i].name - 1) == 0) {
            return i;
        }
    }
    if (counted_names == NAMES) {
        rts_port_fatal("too many different names of threads");
    }
    const unsigned index = counted_names++;
    memset(&counted[index], 0, sizeof counted[index]);
    strncpy(counted[index].name, name, sizeof counted[index].name - 1);
    return index;
}

static sim_fault_kind fault_of(sim_call call, unsigned name)
{
    const uint64_t n = counted[name].calls[call];
    for (unsigned i = 0; i < SIM_FAULTS_MAX; i++) {
        const sim_fault *fault = &sim_active->faults[i];
        if (fault->kind == SIM_FAULT_NONE || fault->call != call || n < fault->from) {
            continue;
        }
        if (fault->thread != NULL && strcmp(fault->thread, counted[name].name) != 0) {
            continue;
        }
        if (n == fault->from || (fault->every != 0 && (n - fault->from) % fault->every == 0)) {
            return fault->kind;
        }
    }
    return SIM_FAULT_NONE;
}

sim_verdict sim_enter(sim_call call)
{
    if (kernel.current == NULL) {
        return (sim_verdict){.status = RTS_OK};
    }
    const unsigned name = kernel.in_isr ? counted_name("isr") : kernel.current->name;
    counted[name].calls[call]++;
    const sim_fault_kind fault = fault_of(call, name);
    rts_ticks cost = fault == SIM_FAULT_FREE ? 0 : sim_active->cost[call];
    if (call == SIM_CLOCK_READ && !kernel.in_isr && kernel.current->is_load) {
        cost = sim_active->load_step;
    }
    if (sim_active->tail_every != 0 && call == sim_active->tail_call &&
        ++kernel.tail_calls % sim_active->tail_every == 0) {
        cost += sim_active->tail_cost;
    }
    sim_advance(cost);
    kernel.held = kernel.held || (fault == SIM_FAULT_NO_SWITCH && !kernel.in_isr);
    return (sim_verdict){
        .status = fault == SIM_FAULT_FAIL ? RTS_FAILED : RTS_OK,
        .lost = fault == SIM_FAULT_LOST,
        .no_switch = fault == SIM_FAULT_NO_SWITCH,
        .reorder = fault == SIM_FAULT_REORDER,
    };
}

uint64_t sim_calls(const char *thread, sim_call call)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < counted_names; i++) {
        if (thread == NULL || strcmp(thread, counted[i].name) == 0) {
            sum += counted[i].calls[call];
        }
    }
    return sum;
}

uint64_t sim_switches(void)
{
    return kernel.switches;
}

/* ---- threads, as port.h has them ------------------------------------------------------------- */

static _Noreturn void task_main(void)
{
    struct sim_task *task = kernel.current;
    task->entry(task->arg);
    (void)sim_enter(SIM_THREAD_EXIT);
    task->state = DONE;
    (void)sim_wake_first(&task->joiners);
    dispatch();
    rts_port_fatal("a task that had ended ran again");
}

static void make_coroutine(struct sim_task *task)
{
    getcontext(&task->context);
    task->context.uc_stack.ss_sp = task->stack;
    task->context.uc_stack.ss_size = STACK_BYTES;
    task->context.uc_link = NULL;
    makecontext(&task->context, (void (*)(void))task_main, 0);
}

static struct sim_task *task_new(const rts_thread_attr *attr, void (*entry)(void *), void *arg)
{
    unsigned slot = 0;
    while (slot < TASKS && kernel.tasks[slot].state != FREE) {
        slot++;
    }
    if (slot == TASKS) {
        return NULL;
    }
    struct sim_task *task = &kernel.tasks[slot];
    memset(task, 0, sizeof *task);
    task->stack = stacks[slot];
    task->entry = entry;
    task->arg = arg;
    task->time_sharing = attr->sched == RTS_SCHED_TS;
    task->is_load = attr->priority == RTS_PRIORITY_LOAD;
    task->base = task->time_sharing ? (unsigned)RTS_PRIORITY_LOAD : (unsigned)attr->priority;
    task->level = task->base;
    task->space = attr->space == RTS_SPACE_OWN ? slot + 1 : 0;
    task->name = counted_name(attr->name);
    make_coroutine(task);
    return task;
}

rts_status rts_port_thread_create(struct rts_thread *thread, const rts_thread_attr *attr, void (*entry)(void *),
                                  void *arg)
{
    const rts_service service = attr->space == RTS_SPACE_OWN ? RTS_SERVICE_PROCESSES : RTS_SERVICE_THREADS;
    rts_status status = sim_service(service);
    if (status == RTS_OK && attr->sched == RTS_SCHED_TS) {
        status = sim_service(RTS_SERVICE_TIME_SHARING);
    }
    if (status != RTS_OK) {
        return status;
    }
    if ((unsigned)attr->priority >= LEVELS || (attr->cpu != 0 && attr->cpu != RTS_CPU_ANY)) {
        return RTS_INVALID;
    }
    const sim_verdict verdict = sim_enter(SIM_THREAD_CREATE);
    if (verdict.status != RTS_OK) {
        return verdict.status;
    }
    thread->task = task_new(attr, entry, arg);
    if (thread->task == NULL) {
        return RTS_NO_MEMORY;
    }
    if (verdict.lost) {
        thread->task->state = DONE; /* it never runs, and nobody notices */
        return RTS_OK;
    }
    make_ready(thread->task);
    sim_preempt();
    return RTS_OK;
}

rts_status rts_port_thread_join(struct rts_thread *thread)
{
    if (thread->task == NULL || thread->task == kernel.current) {
        return RTS_INVALID;
    }
    const sim_verdict verdict = sim_enter(SIM_THREAD_JOIN);
    if (verdict.status != RTS_OK) {
        return verdict.status;
    }
    if (thread->task->state != DONE) {
        sim_block(&thread->task->joiners);
    }
    thread->used = thread->task->used;
    thread->task->state = FREE;
    thread->task = NULL;
    return RTS_OK;
}

rts_status rts_port_yield(void)
{
    rts_status status = sim_service(RTS_SERVICE_YIELD);
    if (status != RTS_OK) {
        return status;
    }
    const sim_verdict verdict = sim_enter(SIM_YIELD);
    struct sim_task *task = kernel.current;
    const struct sim_task *other = most_urgent();
    if (verdict.status != RTS_OK || verdict.lost || verdict.no_switch || other == NULL || other->level < task->level) {
        return verdict.status;
    }
    make_ready(task);
    dispatch();
    return RTS_OK;
}

static rts_status suspension(const struct sim_task *task)
{
    return sim_service(task->space != 0 ? RTS_SERVICE_PROCESS_SUSPEND : RTS_SERVICE_THREAD_SUSPEND);
}

rts_status rts_port_thread_suspend(struct rts_thread *thread)
{
    struct sim_task *task = thread->task;
    if (task == NULL || task == kernel.current) {
        return RTS_INVALID;
    }
    const rts_status status = suspension(task);
    if (status != RTS_OK) {
        return status;
    }
    const sim_verdict verdict = sim_enter(SIM_SUSPEND);
    if (verdict.status != RTS_OK || verdict.lost || task->suspended) {
        return verdict.status;
    }
    if (task->state == READY) {
        take_out(&kernel.ready[task->level], task);
    }
    task->suspended = true;
    return RTS_OK;
}

rts_status rts_port_thread_suspend_self(struct rts_thread *self)
{
    struct sim_task *task = kernel.current;
    if (self->task != task) {
        return RTS_INVALID;
    }
    const rts_status status = suspension(task);
    if (status != RTS_OK) {
        return status;
    }
    const sim_verdict verdict = sim_enter(SIM_SUSPEND_SELF);
    if (verdict.status != RTS_OK || verdict.lost || verdict.no_switch) {
        return verdict.status;
    }
    task->suspended = true;
    task->state = READY;
    task->voluntary++;
    dispatch();
    return RTS_OK;
}

rts_status rts_port_thread_resume(struct rts_thread *thread)
{
    struct sim_task *task = thread->task;
    if (task == NULL) {
        return RTS_INVALID;
    }
    const rts_status status = suspension(task);
    if (status != RTS_OK) {
        return status;
    }
    const sim_verdict verdict = sim_enter(SIM_RESUME);
    if (verdict.status != RTS_OK || verdict.lost || !task->suspended) {
        return verdict.status;
    }
    task->suspended = false;
    if (task->state == READY) {
        make_ready(task);
        sim_preempt();
    }
    return RTS_OK;
}

bool rts_port_thread_is_suspended(struct rts_thread *thread)
{
    return thread->task != NULL && thread->task->suspended;
}

rts_status rts_port_switch_count(uint64_t *voluntary)
{
    *voluntary = kernel.current->voluntary;
    return sim_service(RTS_SERVICE_SWITCH_COUNT);
}

rts_status rts_port_thread_cpu_ns(struct rts_thread *thread, uint64_t *cpu_ns)
{
    const rts_ticks used = thread->task != NULL ? thread->task->used : thread->used;
    *cpu_ns = used * 1000u / (sim_active->hz / 1000000u);
    return sim_service(RTS_SERVICE_CPU_TIME);
}

rts_status rts_port_sleep_until(rts_ticks when)
{
    struct sim_task *task = kernel.current;
    if (when <= kernel.now) {
        return RTS_OK;
    }
    task->wake_at = when;
    task->state = SLEEPING;
    task->voluntary++;
    dispatch();
    return RTS_OK;
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
    counted_names = 0;
    sim_timer_reset();
    sim_active = script;
    sim_active_io = io;
    kernel.entry = entry;
    kernel.entry_arg = arg;
    kernel.outcome.exit_code = RTS_EXIT_FAILED;
    /* The engine's own thread: above the load, not above anything that is measured. */
    const rts_thread_attr attr = {.name = "engine", .priority = RTS_PRIORITY_LOW};
    struct sim_task *task = task_new(&attr, engine_main, NULL);
    task->state = RUNNING;
    kernel.current = task;
    swapcontext(&kernel.outside, &task->context); /* comes back by leave */
    kernel.outcome.now = kernel.now;
    kernel.current = NULL;
    sim_active = AT_REST;
    sim_memory_release();
    return kernel.outcome;
}

static int run_engine(void *nonce)
{
    return rts_engine_run(nonce);
}

sim_outcome sim_run_engine(const sim_script *script, const sim_io *io, const char *nonce)
{
    union {
        const char *in;
        void *out;
    } pointer = {.in = nonce};
    return sim_run(script, io, run_engine, pointer.out);
}

_Noreturn void rts_port_fatal(const char *why)
{
    kernel.outcome.fatal = why;
    kernel.outcome.exit_code = RTS_EXIT_FAILED;
    leave();
}
