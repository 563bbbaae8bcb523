/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The C library's memcpy in a loop that does nothing else: bare_moves CPU PRIORITY BLOCK COUNT SETS prints, a line a set, the mean ns of a
 * block, moved between two regions that no cache holds, as large as the engine's (linux/measurements/memory_move.c).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static double now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void fail(const char *what)
{
    (void)fprintf(stderr, "bare_moves: %s: %s\n", what, strerror(errno));
    exit(3);
}

/** As the engine does at a window's end. */
static inline void complete_stores(void)
{
#if defined(__x86_64__)
    __asm__ volatile("mfence" : : : "memory");
#elif defined(__aarch64__)
    __asm__ volatile("dsb ish" : : : "memory");
#else
    __sync_synchronize();
#endif
}

/** The last cache, as the engine finds it: the largest that the C library, or the kernel of any CPU, reports; 0: neither reports one. */
static size_t last_cache(void)
{
    size_t largest = 0;
    const int levels[] = {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        const long bytes = sysconf(levels[i]);
        largest = bytes > 0 && (size_t)bytes > largest ? (size_t)bytes : largest;
    }
    glob_t found;
    if (glob("/sys/devices/system/cpu/cpu[0-9]*/cache/index*/size", 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            FILE *const file = fopen(found.gl_pathv[i], "r");
            unsigned long kib = 0;
            if (file != NULL && fscanf(file, "%luK", &kib) == 1 && (kib << 10) > largest) {
                largest = kib << 10;
            }
            if (file != NULL) {
                (void)fclose(file);
            }
        }
        globfree(&found);
    }
    return largest;
}

/** Mean nanoseconds of a block; goes on where it left off. As the engine does: a block's ends are marked before its move, outside of its time. */
static double move(char *from, char *to, size_t bytes, size_t block, long moves)
{
    static size_t at;
    double spent = 0;
    for (long i = 0; i < moves; i++) {
        from[at]++;
        from[at + block - 1]++;
        const double begin = now_ns();
        memcpy(to + at, from + at, block);
        complete_stores();
        spent += now_ns() - begin;
        at = at + block < bytes ? at + block : 0;
    }
    return spent / (double)moves;
}

int main(int count, char *words[])
{
    if (count != 6) {
        (void)fprintf(stderr, "usage: bare_moves CPU PRIORITY BLOCK COUNT SETS\n");
        return 2;
    }
    const size_t block = strtoul(words[3], NULL, 10);
    const long moves = strtol(words[4], NULL, 10);
    const size_t cache = last_cache();
    const size_t bytes = (cache > 0 ? 2u * cache : (size_t)32 << 20) / block * block;
    const struct sched_param param = {.sched_priority = atoi(words[2])};
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET((size_t)atoi(words[1]), &cpus);
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0 || sched_setaffinity(0, sizeof cpus, &cpus) != 0 ||
        sched_setscheduler(0, SCHED_FIFO, &param) != 0) {
        fail("cannot be as the engine's tasks are");
    }
    char *from = aligned_alloc(4096, bytes);
    char *to = aligned_alloc(4096, bytes);
    if (from == NULL || to == NULL) {
        fail("memory");
    }
    memset(from, 1, bytes);
    memset(to, 1, bytes);
    (void)move(from, to, bytes, block, 16); /* the engine's number of warm-ups */
    for (long sets = strtol(words[5], NULL, 10); sets > 0; sets--) {
        (void)printf("%.1f\n", move(from, to, bytes, block, moves));
    }
    return 0;
}
