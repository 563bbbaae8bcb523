/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Start: one thread runs the engine, at a priority between the load and all that is measured.
 */
#include "rtstone/engine.h"
#include "threadx.h"

static void run_engine(ULONG unused)
{
    (void)unused;
    board_power_off(rts_engine_run(NULL) != RTS_EXIT_OK);
}

/*
 * Each kind of object is made once by the entry that compares its size with the library's: another size, and the headers are not those that the
 * library was built with.
 */
static void require_headers_of_the_library(void)
{
    static TX_SEMAPHORE semaphore;
    static TX_MUTEX mutex;
    static TX_QUEUE queue;
    static TX_BLOCK_POOL pool;
    static ULONG memory[16];
    static CHAR name[] = "size";
    const bool same =
        _txe_semaphore_create(&semaphore, name, 0, sizeof semaphore) == TX_SUCCESS &&
        _txe_mutex_create(&mutex, name, TX_INHERIT, sizeof mutex) == TX_SUCCESS &&
        _txe_queue_create(&queue, name, TX_1_ULONG, memory, sizeof memory, sizeof queue) == TX_SUCCESS &&
        _txe_block_pool_create(&pool, name, sizeof(ULONG), memory, sizeof memory, sizeof pool) == TX_SUCCESS;
    if (!same) {
        rts_port_fatal("ThreadX's headers are not those that its library was built with");
    }
    (void)_tx_semaphore_delete(&semaphore);
    (void)_tx_mutex_delete(&mutex);
    (void)_tx_queue_delete(&queue);
    (void)_tx_block_pool_delete(&pool);
}

/** Called by tx_kernel_enter, before the first thread runs. */
void tx_application_define(void *unused)
{
    static TX_THREAD thread;
    static ULONG stack[RTS_THREADX_ENGINE_STACK_BYTES / sizeof(ULONG)];
    static CHAR name[] = "engine";
    (void)unused;
    require_headers_of_the_library();
    if (_txe_thread_create(&thread, name, run_engine, 0, stack, sizeof stack, RTS_THREADX_PRIORITY_ENGINE,
                           RTS_THREADX_PRIORITY_ENGINE, TX_NO_TIME_SLICE, TX_AUTO_START, sizeof thread) != TX_SUCCESS) {
        rts_port_fatal("ThreadX makes no thread: its headers are not those that its library was built with");
    }
}

int main(void)
{
    board_init();
    tx_kernel_enter();
    rts_port_fatal("the scheduler did not start");
}
