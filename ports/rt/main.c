/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Start: one task runs the engine, at a priority between the load and all that is measured.
 */
#include <rt/idle.h>
#include <rt/panic.h>
#include <rt/start.h>

#include "rt_port.h"
#include "rtstone/engine.h"

/* rt makes its idle task in a constructor; board.ld says where they are. */
extern void (*const board_constructors_begin[])(void);
extern void (*const board_constructors_end[])(void);

static void run_engine(void)
{
    board_power_off(rts_engine_run(NULL) != RTS_EXIT_OK);
}

/** The idle task never halts: under instruction counting a halt makes runs differ when the host is busy. */
void rt_idle(void)
{
    for (;;) {
    }
}

_Noreturn void rt_panic(const char *msg)
{
    rts_port_fatal(msg);
}

int main(void)
{
    static struct rt_task task = RT_TASK_INIT(task, "engine", RTS_RT_PRIORITY_ENGINE);
    static RT_STACK(stack, RTS_RT_ENGINE_STACK_BYTES);
    board_init();
    for (void (*const *make)(void) = board_constructors_begin; make < board_constructors_end; make++) {
        (*make)();
    }
    task.fn.no_arg = run_engine;
    task.stack = stack;
    task.stack_size = sizeof stack;
    task.ctx = rt_context_init(task.fn.uintptr, 0, stack, sizeof stack);
    rt_task_init(&task);
    rts_rt_start_ticks();
    rt_start();
}
