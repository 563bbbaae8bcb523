/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs that stream through memory: a[i] = b[i] + 3 c[i] over arrays that no cache near the CPU holds (after STREAM's triad, McCalpin 1995).
 */
#include <stdio.h>
#include <sys/mman.h>

#include "machine.h"
#include "programs.h"

#define ARRAY_BYTES ((size_t)32 << 20)
#define ARRAYS 3u
#define CHUNK ((size_t)1 << 16) /* words of each array that one step goes through: 1.5 MiB, well below a millisecond */
#define WORDS (ARRAY_BYTES / sizeof(uint64_t))

enum { BYTES };

static uint64_t cache_bytes;
static uint64_t *arrays; /* of this process */

static void step(rts_program *own)
{
    static size_t at;
    if (arrays == NULL) {
        void *const made = mmap(NULL, ARRAYS * ARRAY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (made == MAP_FAILED) {
            own->failures++;
            return;
        }
        arrays = made;
    }
    uint64_t *restrict const a = arrays + at;
    const uint64_t *restrict const b = arrays + WORDS + at;
    const uint64_t *restrict const c = arrays + (size_t)2 * WORDS + at;
    for (size_t i = 0; i < CHUNK; i++) {
        a[i] = b[i] + 3u * c[i] + own->counts[BYTES];
    }
    __asm__ volatile("" : : "r"(a) : "memory"); /* the sums are wanted */
    own->counts[BYTES] += (uint64_t)ARRAYS * CHUNK * sizeof(uint64_t);
    at = (at + CHUNK) % WORDS;
}

static rts_status start(void *state, const rts_load_spec *spec)
{
    rts_programs *const own = state;
    if (spec->intensity > RTS_PROGRAMS) {
        return RTS_INVALID;
    }
    if (!rts_machine_has_memory((uint64_t)spec->intensity * ARRAYS * ARRAY_BYTES, own->why, sizeof own->why)) {
        return RTS_NO_MEMORY;
    }
    cache_bytes = rts_machine_cache_bytes(spec->cpu);
    arrays = NULL;
    return rts_programs_start(state, spec, step);
}

static void achieved(void *state, rts_load_fact_fn fact, void *arg)
{
    static const char *const names[RTS_PROGRAM_COUNTS] = {"bytes_moved"};
    rts_programs_achieved(state, names, fact, arg);
    fact(arg, "megabytes_per_s", rts_programs_per_s(state, rts_programs_sum(state, BYTES) / 1000000u));
    fact(arg, "array_bytes", ARRAY_BYTES);
    fact(arg, "last_level_cache_bytes", cache_bytes);
}

const rts_load rts_load_memory_bandwidth = {
    .name = "memory-bandwidth",
    .summary = "Linux only: programs that stream through memory, three arrays of 32 MiB each",
    .unit = "programs",
    .services = 1u << RTS_SERVICE_PROGRAMS,
    .state_bytes = sizeof(rts_programs),
    .start = start,
    .stop = rts_programs_stop,
    .achieved = achieved,
    .why = rts_programs_why,
    .faults = rts_programs_failures,
};
