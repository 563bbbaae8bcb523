/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs that keep a working set as large as the last-level cache in turmoil: each of its lines is written in an order without a pattern.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "files.h"
#include "machine.h"
#include "programs.h"

#define LINE_BYTES 64u
#define LINES_A_STEP 4096u

enum { LINES };

static uint64_t cache_bytes;
/* A power of two that holds the cache, or of a quarter of the memory where that is less: the record has both. */
static uint64_t set_bytes;
static uint32_t seed;
static unsigned char *set; /* of this process */

/* Every line once before any a second time: a linear congruential generator modulo a power of two of full period (Hull & Dobell 1962). */
static void step(rts_program *own)
{
    static uint64_t line;
    const uint64_t mask = set_bytes / LINE_BYTES - 1u;
    if (set == NULL) {
        void *const made = mmap(NULL, (size_t)set_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (made == MAP_FAILED) {
            own->failures++;
            return;
        }
        set = made;
        line = (seed + own->number) & mask;
    }
    for (uint32_t i = 0; i < LINES_A_STEP; i++) {
        line = (line * 1664525u + (seed | 1u)) & mask;
        set[line * LINE_BYTES]++;
    }
    own->counts[LINES] += LINES_A_STEP;
}

/** All of the machine, so that the working set is the same in every run on it. */
static uint64_t memory_bytes(void)
{
    char text[64];
    return rts_linux_field("/proc/meminfo", "MemTotal", text, sizeof text) ? strtoull(text, NULL, 10) * 1024u : 0u;
}

static rts_status start(void *state, const rts_load_spec *spec)
{
    rts_programs *const own = state;
    if (spec->intensity > RTS_PROGRAMS) {
        return RTS_INVALID;
    }
    cache_bytes = rts_machine_cache_bytes(spec->cpu);
    if (cache_bytes == 0) {
        (void)snprintf(own->why, sizeof own->why,
                       "the kernel does not tell how large the last-level cache of CPU %d is", (int)spec->cpu);
        return RTS_UNSUPPORTED;
    }
    set_bytes = LINE_BYTES;
    while (set_bytes < cache_bytes && 2u * set_bytes <= memory_bytes() / 4u) {
        set_bytes *= 2u;
    }
    if (!rts_machine_has_memory(spec->intensity * set_bytes, own->why, sizeof own->why)) {
        return RTS_NO_MEMORY;
    }
    seed = (uint32_t)(spec->seed >> 32);
    set = NULL;
    return rts_programs_start(state, spec, step);
}

static void achieved(void *state, rts_load_fact_fn fact, void *arg)
{
    static const char *const names[RTS_PROGRAM_COUNTS] = {"lines_written"};
    rts_programs_achieved(state, names, fact, arg);
    fact(arg, "lines_written_per_s", rts_programs_per_s(state, rts_programs_sum(state, LINES)));
    fact(arg, "working_set_bytes", set_bytes);
    fact(arg, "last_level_cache_bytes", cache_bytes);
    fact(arg, "seed", seed);
}

const rts_load rts_load_cache_thrash = {
    .name = "cache-thrash",
    .summary = "Linux only: programs that write all over a working set of the last-level cache's size",
    .unit = "programs",
    .services = 1u << RTS_SERVICE_PROGRAMS,
    .state_bytes = sizeof(rts_programs),
    .needs = "the kernel does not tell how large the last-level cache is",
    .start = start,
    .stop = rts_programs_stop,
    .achieved = achieved,
    .why = rts_programs_why,
    .faults = rts_programs_failures,
};
