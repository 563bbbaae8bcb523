/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Start: RTEMS, libbsd and the IOC as EPICS has them, then the engine in a task of its own. RTEMS is configured as EPICS does it
 * (rtems_config.c of base 7.0.8), but for the lines that say why not.
 */
#include <stdio.h>

#include "../rtems/start.h"
#include "ioc.h"

static _Noreturn void give_up(const char *why)
{
    static char line[640];
    (void)snprintf(line, sizeof line, "the IOC did not start: %s; its console: %s", why, console_last());
    rts_port_fatal(line);
}

/** EPICS' start begins in a POSIX thread, too. */
static void *start(void *unused)
{
    (void)unused;
    const char *why = "";
    rtems_id engine;
    console_keep();
    if (!network_start(&why) || !ioc_start(&why)) {
        give_up(why);
    }
    if (rtems_task_create(RTS_RTEMS_NAME('e', 'n', 'g'), RTS_RTEMS_PRIORITY_ENGINE, 4u * RTS_RTEMS_ENGINE_STACK_BYTES,
                          RTEMS_DEFAULT_MODES, RTEMS_FLOATING_POINT, &engine) != RTEMS_SUCCESSFUL ||
        rtems_task_start(engine, run_engine, 0) != RTEMS_SUCCESSFUL) {
        give_up("no task is left for the engine");
    }
    (void)rtems_task_suspend(RTEMS_SELF);
    return NULL;
}

static void fatal(rtems_fatal_source source, bool always_false, rtems_fatal_code code)
{
    (void)always_false;
    board_fault(console_last(), (uint64_t)source, (uint64_t)code, 0);
}

/* libbsd, with the devices of the board support package. */
#define RTEMS_BSD_CONFIG_BSP_CONFIG
#define RTEMS_BSD_CONFIG_INIT
#include <machine/rtems-bsd-config.h>

#define CONFIGURE_APPLICATION_NEEDS_CLOCK_DRIVER
#define CONFIGURE_APPLICATION_NEEDS_SIMPLE_CONSOLE_DRIVER /* EPICS' takes UART 1's interrupt; nobody reads what it sends */
#define CONFIGURE_APPLICATION_NEEDS_STUB_DRIVER
#define CONFIGURE_APPLICATION_NEEDS_ZERO_DRIVER
#define CONFIGURE_APPLICATION_NEEDS_LIBBLOCK
#define CONFIGURE_MICROSECONDS_PER_TICK (1000000u / RTS_RTEMS_TICK_HZ)
#define CONFIGURE_MALLOC_STATISTICS 1
#define CONFIGURE_EXTRA_TASK_STACKS (4000 * RTEMS_MINIMUM_STACK_SIZE)
#define CONFIGURE_USE_IMFS_AS_BASE_FILESYSTEM
#define CONFIGURE_FILESYSTEM_DEVFS
#define CONFIGURE_FILESYSTEM_IMFS
#define CONFIGURE_MAXIMUM_PERIODS 5
#define CONFIGURE_MAXIMUM_FILE_DESCRIPTORS 64
#define CONFIGURE_IMFS_ENABLE_MKFIFO 2
#define CONFIGURE_MAXIMUM_USER_EXTENSIONS 5
#define CONFIGURE_MAXIMUM_DRIVERS 40
#define CONFIGURE_UNLIMITED_ALLOCATION_SIZE 32
#define CONFIGURE_UNLIMITED_OBJECTS
#define CONFIGURE_UNIFIED_WORK_AREAS
#if !defined(RTS_RTEMS_IOC_UNCHECKED)
#define CONFIGURE_STACK_CHECKER_ENABLED
#endif
#define CONFIGURE_BDBUF_BUFFER_MAX_SIZE (64 * 1024)
#define CONFIGURE_BDBUF_MAX_READ_AHEAD_BLOCKS 4
#define CONFIGURE_BDBUF_CACHE_MEMORY_SIZE (1 * 1024 * 1024)
#define CONFIGURE_IDLE_TASK_BODY idle
#define CONFIGURE_POSIX_INIT_THREAD_TABLE
#define CONFIGURE_POSIX_INIT_THREAD_ENTRY_POINT start
#define CONFIGURE_POSIX_INIT_THREAD_STACK_SIZE (64 * 1024)
#define CONFIGURE_INITIAL_EXTENSIONS                                                                                   \
    {                                                                                                                  \
        .fatal = fatal                                                                                                 \
    }
#define CONFIGURE_INIT
#include <rtems/confdefs.h>
