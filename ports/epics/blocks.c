/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * libCom's free lists: blocks of one size that go back to their list, not to the heap.
 */
#include <freeList.h>
#include <string.h>

#include "epics.h"

rts_status rts_port_blocks_create(struct rts_blocks *blocks, uint32_t count, uint32_t bytes)
{
    if (count == 0 || bytes < sizeof(void *)) {
        return RTS_INVALID;
    }
    freeListInitPvt(&blocks->list, (int)bytes, (int)count);
    blocks->left = count;
    void *const first = freeListMalloc(blocks->list); /* lets it get all its memory now */
    if (first == NULL) {
        return RTS_NO_MEMORY;
    }
    memset(first, 0, bytes);
    freeListFree(blocks->list, first);
    return RTS_OK;
}

rts_status rts_port_block_alloc(struct rts_blocks *blocks, void **block)
{
    if (blocks->left == 0) {
        return RTS_NO_MEMORY; /* the list itself would grow */
    }
    *block = freeListMalloc(blocks->list);
    if (*block == NULL) {
        return RTS_NO_MEMORY;
    }
    blocks->left--;
    return RTS_OK;
}

rts_status rts_port_block_free(struct rts_blocks *blocks, void *block)
{
    freeListFree(blocks->list, block);
    blocks->left++;
    return RTS_OK;
}

void rts_port_blocks_destroy(struct rts_blocks *blocks)
{
    freeListCleanup(blocks->list);
}
