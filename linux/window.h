/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A window: memory at the other end of a bus (or a stand-in for it), which the transfer measurements read and write. The code that opens a window, of
 * any kind, fills this in.
 */
#ifndef RTSTONE_LINUX_WINDOW_H
#define RTSTONE_LINUX_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "rtstone/types.h"

#define RTS_WINDOW_WANTED (1u << 20) /**< bytes of a window that are used, if it is that large */
#define RTS_WINDOW_LEAST 8192u       /**< two blocks */
#define RTS_WINDOW_NAME_BYTES 200u

typedef struct rts_window {
    volatile unsigned char *base; /**< where it is mapped; NULL: it is reached by pread and pwrite on `file` */
    void *mapping;                /**< the mapping, to be unmapped */
    size_t mapped;                /**< bytes of it */
    size_t bytes;
    int file;     /**< -1: closed */
    off_t at;     /**< of its first byte in `file`, where it is not mapped */
    size_t piece; /**< bytes that one call moves at the most, where it is not mapped; 0: any */
    bool
        simulated; /**< a bus that the kernel only plays: whether all arrives can be seen, how fast it does says nothing */
    bool
        kernel; /**< blocks are moved by the probe module, whose device is `file`; the mapping is for filling and looking */
    char name[RTS_WINDOW_NAME_BYTES]; /**< of the slave, for people; or why it could not be opened */
} rts_window;

/** Unmaps and closes the window; nothing for one that was never opened. */
void rts_window_close(rts_window *window);

/** Maps `bytes` of window->file from `at`; the window begins `lead` bytes behind that. Fails with the reason in window->name. */
rts_status rts_window_map(rts_window *window, size_t bytes, off_t at, size_t lead);

/** Fails: puts the reason into window->name and closes the file. Returns `status`. */
__attribute__((format(printf, 3, 4))) rts_status rts_window_refuse(rts_window *window, rts_status status,
                                                                   const char *format, ...);

#endif
