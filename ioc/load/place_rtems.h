/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The clients of an IOC that is the whole image: threads of it, which reach it by TCP through the loopback interface, or programs on the
 * host of a board with a link.
 */
#ifndef RTSTONE_IOC_PLACE_RTEMS_H
#define RTSTONE_IOC_PLACE_RTEMS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * Creates the clients' threads, each with its Channel Access context, before iocInit: a context that is created later finds the
 * records in the same process and would not use TCP. False if that fails.
 */
bool ioc_threads_prepare(void);

/** Interrupts of the network device on the way to clients on the host: the board with that link counts them. */
extern atomic_uint ioc_network_interrupts;

/** Finds that many records of the load in the IOC. False if it has fewer, or memory is short. */
bool ioc_records_find(uint32_t records);

/** The sum of their values: the IOC's own count of puts, as each record has the number of its last one. 0 before they are found. */
uint64_t ioc_records_sum(void);

#endif
