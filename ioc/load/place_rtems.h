/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The clients of an IOC that is the whole image: threads of it, which reach it by TCP through the loopback interface.
 */
#ifndef RTSTONE_IOC_PLACE_RTEMS_H
#define RTSTONE_IOC_PLACE_RTEMS_H

#include <stdbool.h>

/**
 * Creates the clients' threads, each with its Channel Access context, before iocInit: a context that is created later finds the
 * records in the same process and would not use TCP. False if that fails.
 */
bool ioc_threads_prepare(void);

#endif
