/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of memory: a partition of RTEMS.
 */
#include "rtems_port.h"

_Static_assert(sizeof((struct rts_blocks *)0)->memory == (size_t)RTS_BLOCK_COUNT * RTS_BLOCK_BYTES,
               "the partition's memory holds all blocks");

rts_status rts_port_blocks_create(struct rts_blocks *blocks, uint32_t count, uint32_t bytes)
{
    if (count == 0 || bytes == 0) {
        return RTS_INVALID;
    }
    const size_t most = sizeof blocks->memory;
    const size_t least = 2u * sizeof(void *); /* a free block is a link of a chain */
    const size_t whole = bytes < least ? least : (bytes + sizeof(void *) - 1u) / sizeof(void *) * sizeof(void *);
    if (whole > most || count > most / whole) {
        return RTS_NO_MEMORY;
    }
    return rts_rtems_status(rtems_partition_create(RTS_RTEMS_NAME('b', 'l', 'k'), blocks->memory, count * whole, whole,
                                                   RTEMS_DEFAULT_ATTRIBUTES, &blocks->id));
}

rts_status rts_port_block_alloc(struct rts_blocks *blocks, void **block)
{
    return rts_rtems_status(rtems_partition_get_buffer(blocks->id, block));
}

rts_status rts_port_block_free(struct rts_blocks *blocks, void *block)
{
    return rts_rtems_status(rtems_partition_return_buffer(blocks->id, block));
}

void rts_port_blocks_destroy(struct rts_blocks *blocks)
{
    (void)rtems_partition_delete(blocks->id);
}
