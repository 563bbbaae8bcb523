/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs that fault: they map memory, write to each page once, and unmap it.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "programs.h"

#define BYTES ((size_t)4 << 20)

static void step(rts_program *own)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *const memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        own->failures++;
        return;
    }
    for (size_t at = 0; at < BYTES; at += page) {
        memory[at] = 1;
        own->counts[1]++;
    }
    own->counts[0]++;
    (void)munmap(memory, BYTES);
}

static rts_status start(void *state, const rts_load_spec *spec)
{
    return rts_programs_start(state, spec, step);
}

static void achieved(void *state, rts_load_fact_fn fact, void *arg)
{
    static const char *const names[RTS_PROGRAM_COUNTS] = {"mappings", "pages_touched"};
    rts_programs_achieved(state, names, fact, arg);
    fact(arg, "pages_touched_per_s", rts_programs_per_s(state, rts_programs_sum(state, 1)));
}

const rts_load rts_load_page_faults = {
    .name = "page-faults",
    .summary = "Linux only: programs that map memory, touch each page and unmap it",
    .unit = "programs",
    .services = 1u << RTS_SERVICE_PROGRAMS,
    .state_bytes = sizeof(rts_programs),
    .start = start,
    .stop = rts_programs_stop,
    .achieved = achieved,
    .faults = rts_programs_failures,
};
