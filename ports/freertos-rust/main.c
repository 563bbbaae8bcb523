/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Start: one task runs the engine, at a priority between the load and all that is measured.
 */
#include "freertos_rust.h"
#include "rtstone/engine.h"

static void run_engine(void *unused)
{
    (void)unused;
    rts_rust_started();
    const int outcome = rts_engine_run(NULL);
    taskDISABLE_INTERRUPTS();
    board_power_off(outcome != RTS_EXIT_OK);
}

int main(void)
{
    board_init();
    rts_rust_heap();
    rts_rust_prepare();
    TaskHandle_t handle;
    if (xTaskCreate(run_engine, "engine", RTS_RUST_ENGINE_STACK_BYTES / sizeof(StackType_t), NULL,
                    RTS_RUST_PRIORITY_ENGINE, &handle) == pdPASS) {
        vTaskStartScheduler();
    }
    rts_port_fatal("the scheduler did not start");
}
