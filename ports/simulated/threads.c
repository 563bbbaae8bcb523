/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Threads and processes as port.h has them, each a coroutine of the simulated kernel.
 */
#include "task.h"

#include <string.h>

#define STACK_BYTES ((size_t)128 * 1024)

struct sim_task sim_tasks[SIM_TASKS];
static unsigned char stacks[SIM_TASKS][STACK_BYTES] __attribute__((aligned(16)));

void sim_tasks_reset(void)
{
    memset(sim_tasks, 0, sizeof sim_tasks);
}

static _Noreturn void task_main(void)
{
    struct sim_task *task = sim_current();
    task->entry(task->arg);
    (void)sim_enter(SIM_THREAD_EXIT);
    task->state = DONE;
    (void)sim_wake_first(&task->joiners);
    sim_dispatch();
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

struct sim_task *sim_task_new(const rts_thread_attr *attr, void (*entry)(void *), void *arg)
{
    unsigned slot = 0;
    while (slot < SIM_TASKS && sim_tasks[slot].state != FREE) {
        slot++;
    }
    if (slot == SIM_TASKS) {
        return NULL;
    }
    struct sim_task *task = &sim_tasks[slot];
    memset(task, 0, sizeof *task);
    task->stack = stacks[slot];
    task->entry = entry;
    task->arg = arg;
    task->time_sharing = attr->sched == RTS_SCHED_TS;
    task->is_load = attr->priority == RTS_PRIORITY_LOAD;
    task->base = task->time_sharing ? (unsigned)RTS_PRIORITY_LOAD : (unsigned)attr->priority;
    task->level = task->base;
    task->space = attr->space == RTS_SPACE_OWN ? slot + 1 : 0;
    task->name = sim_counted_name(attr->name);
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
    if ((unsigned)attr->priority >= SIM_LEVELS || (attr->cpu != 0 && attr->cpu != RTS_CPU_ANY)) {
        return RTS_INVALID;
    }
    const sim_verdict verdict = sim_enter(SIM_THREAD_CREATE);
    if (verdict.status != RTS_OK) {
        return verdict.status;
    }
    thread->task = sim_task_new(attr, entry, arg);
    if (thread->task == NULL) {
        return RTS_NO_MEMORY;
    }
    if (verdict.lost) {
        thread->task->state = DONE; /* it never runs, and nobody notices */
        return RTS_OK;
    }
    sim_make_ready(thread->task);
    sim_preempt();
    return RTS_OK;
}

rts_status rts_port_thread_join(struct rts_thread *thread)
{
    if (thread->task == NULL || thread->task == sim_current()) {
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
    struct sim_task *task = sim_current();
    const struct sim_task *other = sim_most_urgent();
    if (verdict.status != RTS_OK || verdict.lost || verdict.no_switch || other == NULL || other->level < task->level) {
        return verdict.status;
    }
    sim_make_ready(task);
    sim_dispatch();
    return RTS_OK;
}

static rts_status suspension(const struct sim_task *task, rts_service of_thread)
{
    return sim_service(task->space != 0 ? RTS_SERVICE_PROCESS_SUSPEND : of_thread);
}

rts_status rts_port_thread_suspend(struct rts_thread *thread)
{
    struct sim_task *task = thread->task;
    if (task == NULL || task == sim_current()) {
        return RTS_INVALID;
    }
    const rts_status status = suspension(task, RTS_SERVICE_THREAD_SUSPEND);
    if (status != RTS_OK) {
        return status;
    }
    const sim_verdict verdict = sim_enter(SIM_SUSPEND);
    if (verdict.status != RTS_OK || verdict.lost || task->suspended) {
        return verdict.status;
    }
    if (task->state == READY) {
        sim_make_unready(task);
    }
    task->suspended = true;
    return RTS_OK;
}

rts_status rts_port_thread_suspend_self(struct rts_thread *self)
{
    struct sim_task *task = sim_current();
    if (self->task != task) {
        return RTS_INVALID;
    }
    const rts_status status = suspension(task, RTS_SERVICE_THREAD_SUSPEND_SELF);
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
    sim_dispatch();
    return RTS_OK;
}

rts_status rts_port_thread_resume(struct rts_thread *thread)
{
    struct sim_task *task = thread->task;
    if (task == NULL) {
        return RTS_INVALID;
    }
    const rts_status status = suspension(task, RTS_SERVICE_THREAD_SUSPEND_SELF);
    if (status != RTS_OK) {
        return status;
    }
    const sim_verdict verdict = sim_enter(SIM_RESUME);
    if (verdict.status != RTS_OK || verdict.lost || !task->suspended) {
        return verdict.status;
    }
    task->suspended = false;
    if (task->state == READY) {
        sim_make_ready(task);
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
    *voluntary = sim_current()->voluntary;
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
    struct sim_task *task = sim_current();
    if (when <= sim_now()) {
        return RTS_OK;
    }
    task->wake_at = when;
    task->state = SLEEPING;
    task->voluntary++;
    sim_dispatch();
    return RTS_OK;
}
