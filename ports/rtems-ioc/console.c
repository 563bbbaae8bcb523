/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * RTEMS' and the IOC's messages go to UART 1, which nobody reads. The last of them are kept for a start that fails.
 */
#include <rtems/bspIo.h>
#include <stddef.h>

#include "ioc.h"

#define KEPT 160u /* the host quotes no more of a line */

static BSP_output_char_function_type write_on;
static char kept[KEPT];
static size_t written;

static void keep(char byte)
{
    kept[written++ % KEPT] = byte;
    write_on(byte);
}

void console_keep(void)
{
    write_on = BSP_output_char;
    BSP_output_char = keep;
}

const char *console_last(void)
{
    static char text[KEPT + 1];
    const size_t count = written < KEPT ? written : KEPT;
    size_t used = 0;
    for (size_t i = written - count; i < written; i++) {
        const char byte = kept[i % KEPT];
        if (byte >= ' ' && byte <= '~') {
            text[used++] = byte;
        } else if (byte == '\n' && used > 0 && text[used - 1] != '|') {
            text[used++] = '|';
        }
    }
    text[used] = '\0';
    return text;
}
