/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * [required] Bytes in and out. The record stream needs a line of its own, or one on which the kernel keeps silent.
 */
#include "rtstone/port.h"

#ifdef __linux__
#include "rtstone/engine.h"

#include <string.h>
#include <unistd.h>
#endif

/* [required] Blocks until all is out. It is never called inside a measured window, so polling a UART is good enough. */
rts_status rts_port_console_write(const char *bytes, size_t count)
{
    (void)bytes;
    (void)count;
    return RTS_FAILED;
}

/* [required] The next bytes of the plan: from a UART, a file, or a place in memory where the host put it. 0: there is no more, or no plan. */
long rts_port_plan_read(char *buffer, size_t room)
{
    (void)buffer;
    (void)room;
    return 0;
}

/* [required] False for ever is a good answer on a board: the host takes its power away. */
bool rts_port_interrupted(void)
{
    return false;
}

/*
 * [required] Must work from an ISR and with a broken heap: writes the reason on the console, then stops the machine. Before there is a console,
 * a template that runs as a program of Linux writes the line there and ends; anywhere else it halts.
 */
_Noreturn void rts_port_fatal(const char *why)
{
#ifdef __linux__
    static const char begin[] = "rtstone: fatal: ";
    static const char end[] = "\n";
    if (write(STDERR_FILENO, begin, sizeof begin - 1) > 0 && write(STDERR_FILENO, why, strlen(why)) > 0) {
        (void)!write(STDERR_FILENO, end, sizeof end - 1);
    }
    _exit(RTS_EXIT_FAILED);
#else
    (void)why;
    for (;;) {
    }
#endif
}
