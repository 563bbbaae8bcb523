/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The block that holds a run's state, and flushing it from the caches.
 */
#include <sys/mman.h>

#include "system.h"

static unsigned char *block;
static size_t block_bytes;

void *rts_port_memory(size_t bytes)
{
    if (block != NULL) {
        (void)munmap(block, block_bytes);
    }
    block = rts_system_shared_memory(bytes);
    block_bytes = block == NULL ? 0 : bytes;
    return block;
}

bool rts_posix_is_shared(const void *object)
{
    const uintptr_t at = (uintptr_t)object;
    return block != NULL && at >= (uintptr_t)block && at < (uintptr_t)block + block_bytes;
}

#define LINE_BYTES 64u
#define STACK_BYTES 4096u

#if defined(__x86_64__)
#define FLUSH_LINE(at) __asm__ volatile("clflush (%0)" : : "r"(at) : "memory")
#define FLUSH_WAIT() __asm__ volatile("mfence" : : : "memory")
#elif defined(__aarch64__)
#define FLUSH_LINE(at) __asm__ volatile("dc civac, %0" : : "r"(at) : "memory")
#define FLUSH_WAIT() __asm__ volatile("dsb ish" : : : "memory")
#endif

rts_status rts_port_cache_flush(void)
{
#if defined(FLUSH_LINE)
    for (const unsigned char *at = block; at < block + block_bytes; at += LINE_BYTES) {
        FLUSH_LINE(at);
    }
    /* The caller's frames lie above this one. A page of a live stack is always mapped from here to its end. */
    unsigned char here = 0;
    const uintptr_t page_end = ((uintptr_t)&here | (STACK_BYTES - 1u)) + 1u;
    for (uintptr_t at = (uintptr_t)&here; at < page_end; at += LINE_BYTES) {
        FLUSH_LINE(at);
    }
    FLUSH_WAIT();
    return RTS_OK;
#else
    return RTS_UNSUPPORTED;
#endif
}
