/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The reading side of a ring of records that BPF programs write (BPF_MAP_TYPE_RINGBUF). One reader, any number of writers.
 */
#ifndef RTSTONE_LINUX_BPF_RING_H
#define RTSTONE_LINUX_BPF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A ring in memory. Positions count bytes and only grow; the kernel's have the width of a register. */
typedef struct rts_ring {
    unsigned long *read;          /**< how far it is read; the reader's page */
    const unsigned long *written; /**< how far it is written; the kernel's */
    const uint8_t *data;          /**< `bytes`, followed by the same bytes once more: no record is cut at the end */
    size_t bytes;                 /**< a power of two */
} rts_ring;

/** Takes one record; false ends the reading. */
typedef bool (*rts_ring_taker)(void *context, const void *record, size_t bytes);

/** Maps a ring of `bytes` (as the map was made). False, and errno, if it cannot be. */
bool rts_ring_open(rts_ring *ring, int map, size_t bytes);

/** Hands over all complete records, in order; a record that is being written stays for the next call. False if the taker returned false. */
bool rts_ring_read(const rts_ring *ring, rts_ring_taker take, void *context);

#endif
