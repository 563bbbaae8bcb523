/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lines of the control stream, read byte by byte so that nothing behind a line is taken with it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>

#include "network.h"

bool net_line_read(int control, char line[NET_LINE_BYTES])
{
    for (size_t i = 0; i < NET_LINE_BYTES; i++) {
        ssize_t got;
        do {
            got = recv(control, line + i, 1, 0);
        } while (got < 0 && errno == EINTR);
        if (got != 1) {
            return false;
        }
        if (line[i] == '\n') {
            line[i] = '\0';
            return true;
        }
    }
    return false;
}

bool net_line_write(int control, const char *format, ...)
{
    char line[NET_LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return length > 0 && (size_t)length < sizeof line &&
           send(control, line, (size_t)length, MSG_NOSIGNAL) == (ssize_t)length;
}
