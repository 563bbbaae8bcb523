/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Starts like ports/rtems, with the additional configuration for its threads and queues.
 */
#define CONFIGURE_MAXIMUM_POSIX_THREADS 40
#define CONFIGURE_MAXIMUM_POSIX_MESSAGE_QUEUES 8
#define CONFIGURE_MINIMUM_POSIX_THREAD_STACK_SIZE RTS_RTEMS_STACK_BYTES

#include "../rtems/main.c"
