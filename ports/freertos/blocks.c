/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of memory: FreeRTOS has no partition, its heap stands in.
 */
#include "freertos.h"

rts_status rts_port_blocks_create(struct rts_blocks *blocks, uint32_t count, uint32_t bytes)
{
    if (count == 0 || bytes == 0) {
        return RTS_INVALID;
    }
    /* Taken once and given back: the heap says how much it has only after its first use. */
    void *const all = pvPortMalloc((size_t)count * bytes);
    if (all == NULL) {
        return RTS_NO_MEMORY;
    }
    vPortFree(all);
    blocks->bytes = bytes;
    blocks->left = count;
    return RTS_OK;
}

rts_status rts_port_block_alloc(struct rts_blocks *blocks, void **block)
{
    if (blocks->left == 0) {
        return RTS_NO_MEMORY;
    }
    *block = pvPortMalloc(blocks->bytes);
    if (*block == NULL) {
        return RTS_NO_MEMORY;
    }
    blocks->left--;
    return RTS_OK;
}

rts_status rts_port_block_free(struct rts_blocks *blocks, void *block)
{
    vPortFree(block);
    blocks->left++;
    return RTS_OK;
}

void rts_port_blocks_destroy(struct rts_blocks *blocks)
{
    blocks->left = 0;
}
