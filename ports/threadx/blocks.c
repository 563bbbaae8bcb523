/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of memory: a block pool of ThreadX.
 */
#include "threadx.h"

#define WITH_POINTER(bytes) ((bytes) + sizeof(void *))

_Static_assert(sizeof((struct rts_blocks *)0)->memory == RTS_BLOCK_COUNT * WITH_POINTER(RTS_BLOCK_BYTES),
               "the pool's memory holds a partition");

rts_status rts_port_blocks_create(struct rts_blocks *blocks, uint32_t count, uint32_t bytes)
{
    if (count == 0 || bytes == 0) {
        return RTS_INVALID;
    }
    const ULONG whole = (bytes + sizeof(ULONG) - 1u) / sizeof(ULONG) * sizeof(ULONG);
    if (count > RTS_BLOCK_COUNT || whole > RTS_BLOCK_BYTES) {
        return RTS_NO_MEMORY;
    }
    return rts_threadx_status(tx_block_pool_create(&blocks->pool, RTS_THREADX_NAME("blocks"), whole, blocks->memory,
                                                   count * WITH_POINTER(whole)));
}

rts_status rts_port_block_alloc(struct rts_blocks *blocks, void **block)
{
    return rts_threadx_status(tx_block_allocate(&blocks->pool, block, TX_NO_WAIT));
}

rts_status rts_port_block_free(struct rts_blocks *blocks, void *block)
{
    (void)blocks; /* the block knows its pool */
    return rts_threadx_status(tx_block_release(block));
}

void rts_port_blocks_destroy(struct rts_blocks *blocks)
{
    (void)tx_block_pool_delete(&blocks->pool);
}
