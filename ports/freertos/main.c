/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Start: one task runs the engine, at a priority between the load and all that is measured.
 */
#include "freertos.h"
#include "rtstone/engine.h"

static void run_engine(void *unused)
{
    (void)unused;
    const int outcome = rts_engine_run(NULL);
    taskDISABLE_INTERRUPTS();
    board_power_off(outcome != RTS_EXIT_OK);
}

int main(void)
{
    static StaticTask_t task;
    static StackType_t stack[RTS_FREERTOS_ENGINE_STACK_BYTES / sizeof(StackType_t)];
    board_init();
    (void)xTaskCreateStatic(run_engine, "engine", sizeof stack / sizeof stack[0], NULL, RTS_FREERTOS_PRIORITY_ENGINE,
                            stack, &task);
    vTaskStartScheduler();
    rts_port_fatal("the scheduler did not start");
}
