/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Memory blocks: the C library's allocator in the place of a partition, which POSIX does not have.
 */
#include <stdlib.h>
#include <string.h>

#include "posix.h"

rts_status rts_port_blocks_create(struct rts_blocks *blocks, uint32_t count, uint32_t bytes)
{
    if (count == 0 || bytes < sizeof(void *)) {
        return RTS_INVALID;
    }
    /* A partition has all of its memory from the start; so has the allocator once it has had it all and taken it back. */
    void **chain = NULL;
    rts_status status = RTS_OK;
    for (uint32_t i = 0; i < count && status == RTS_OK; i++) {
        void **block = malloc(bytes);
        if (block == NULL) {
            status = RTS_NO_MEMORY;
        } else {
            memset(block, 0, bytes);
            *block = (void *)chain;
            chain = block;
        }
    }
    while (chain != NULL) {
        void **const next = *chain;
        free((void *)chain);
        chain = next;
    }
    blocks->bytes = bytes;
    blocks->left = count;
    return status;
}

rts_status rts_port_block_alloc(struct rts_blocks *blocks, void **block)
{
    if (blocks->left == 0) {
        return RTS_NO_MEMORY;
    }
    *block = malloc(blocks->bytes);
    if (*block == NULL) {
        return RTS_NO_MEMORY;
    }
    blocks->left--;
    return RTS_OK;
}

rts_status rts_port_block_free(struct rts_blocks *blocks, void *block)
{
    free(block);
    blocks->left++;
    return RTS_OK;
}

void rts_port_blocks_destroy(struct rts_blocks *blocks)
{
    blocks->left = 0;
}
