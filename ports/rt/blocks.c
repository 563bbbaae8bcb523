/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of memory: a pool of rt, which is a list of pointers under a mutex.
 */
#include "rt_port.h"

_Static_assert(sizeof((struct rts_blocks *)0)->memory == (size_t)RTS_BLOCK_COUNT * RTS_BLOCK_BYTES &&
                   sizeof((struct rts_blocks *)0)->free == RTS_BLOCK_COUNT * sizeof(void *),
               "the pool's memory holds a partition");

rts_status rts_port_blocks_create(struct rts_blocks *blocks, uint32_t count, uint32_t bytes)
{
    if (count == 0 || bytes == 0) {
        return RTS_INVALID;
    }
    if (count > RTS_BLOCK_COUNT || bytes > RTS_BLOCK_BYTES) {
        return RTS_NO_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        blocks->free[i] = &blocks->memory[i * RTS_BLOCK_BYTES];
    }
    blocks->pool = (struct rt_pool)RT_POOL_INIT(blocks->pool, blocks->free, count);
    return RTS_OK;
}

rts_status rts_port_block_alloc(struct rts_blocks *blocks, void **block)
{
    if (blocks->pool.avail == 0) {
        return RTS_NO_MEMORY; /* rt would wait for one */
    }
    *block = rt_pool_get(&blocks->pool);
    return RTS_OK;
}

rts_status rts_port_block_free(struct rts_blocks *blocks, void *block)
{
    rt_pool_put(&blocks->pool, block);
    return RTS_OK;
}

void rts_port_blocks_destroy(struct rts_blocks *blocks)
{
    (void)blocks;
}
