/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The block that holds a run's state, and flushing it from the caches.
 */
#include <sys/mman.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "posix.h"

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
/** CLFLUSHOPT lets the lines go side by side; CLFLUSH, which every CPU has, takes twenty times as long for a few megabytes. */
static bool side_by_side(void)
{
    static int known = -1;
    if (known < 0) {
        unsigned a;
        unsigned b;
        unsigned c;
        unsigned d;
        known = __get_cpuid_count(7u, 0u, &a, &b, &c, &d) != 0 && (b & 1u << 23) != 0 ? 1 : 0;
    }
    return known != 0;
}

static void flush(uintptr_t begin, uintptr_t end)
{
    const bool fast = side_by_side();
    for (uintptr_t at = begin; at < end; at += LINE_BYTES) {
        if (fast) {
            __asm__ volatile("clflushopt (%0)" : : "r"(at) : "memory");
        } else {
            __asm__ volatile("clflush (%0)" : : "r"(at) : "memory");
        }
    }
    __asm__ volatile("mfence" : : : "memory");
}
#elif defined(__aarch64__)
static void flush(uintptr_t begin, uintptr_t end)
{
    for (uintptr_t at = begin; at < end; at += LINE_BYTES) {
        __asm__ volatile("dc civac, %0" : : "r"(at) : "memory");
    }
    __asm__ volatile("dsb ish" : : : "memory");
}
#endif

rts_status rts_port_cache_flush(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
    flush((uintptr_t)block, (uintptr_t)block + block_bytes);
    /* The caller's frames lie above this one, in the same page of its stack or the next. */
    const unsigned char here = 0;
    flush((uintptr_t)&here, ((uintptr_t)&here | (STACK_BYTES - 1u)) + 1u);
    return RTS_OK;
#else
    return RTS_UNSUPPORTED;
#endif
}
