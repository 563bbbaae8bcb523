/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ring.h"

#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

bool rts_ring_open(rts_ring *ring, int map, size_t bytes)
{
    /* The reader's page can be written, the kernel's and the data cannot: two mappings. */
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *const ours = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
    const uint8_t *const kernel = mmap(NULL, page + 2u * bytes, PROT_READ, MAP_SHARED, map, (off_t)page);
    if (ours == MAP_FAILED || kernel == MAP_FAILED) {
        return false;
    }
    *ring = (rts_ring){ours, (const void *)kernel, kernel + page, bytes};
    return true;
}

bool rts_ring_read(const rts_ring *ring, rts_ring_taker take, void *context)
{
    const unsigned long end = __atomic_load_n(ring->written, __ATOMIC_ACQUIRE);
    unsigned long at = *ring->read;
    bool going = true;
    while (going && at != end) {
        const uint8_t *const head = ring->data + (at & (ring->bytes - 1u));
        /* The writer sets it last: a record that is not busy is whole. */
        const uint32_t word = __atomic_load_n((const uint32_t *)(const void *)head, __ATOMIC_ACQUIRE);
        const uint32_t bytes = word & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
        if ((word & BPF_RINGBUF_BUSY_BIT) != 0) {
            break;
        }
        if ((word & BPF_RINGBUF_DISCARD_BIT) == 0) {
            going = take(context, head + BPF_RINGBUF_HDR_SZ, bytes);
        }
        at += (BPF_RINGBUF_HDR_SZ + bytes + 7ul) & ~7ul;
        __atomic_store_n(ring->read, at, __ATOMIC_RELEASE);
    }
    return going;
}
