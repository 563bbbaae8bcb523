/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs that write files without a name in /tmp, read them back and drop them.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "programs.h"

#define BLOCK_BYTES 4096u
#define BLOCKS 16u

/** Writes the blocks of a file and reads them back. False: it is not what was written. */
static bool use(int file, rts_program *own)
{
    unsigned char block[BLOCK_BYTES];
    memset(block, (int)own->number, sizeof block);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        if (write(file, block, sizeof block) != (ssize_t)sizeof block) {
            return false;
        }
        own->counts[1] += sizeof block;
    }
    for (uint32_t i = 0; i < BLOCKS; i++) {
        if (pread(file, block, sizeof block, (off_t)i * BLOCK_BYTES) != (ssize_t)sizeof block ||
            block[i] != (unsigned char)own->number) {
            return false;
        }
    }
    return true;
}

static void step(rts_program *own)
{
    const int file = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); /* nothing is left behind, however this ends */
    if (file < 0) {
        own->failures++;
        return;
    }
    own->counts[0]++;
    if (!use(file, own)) {
        own->failures++;
    }
    (void)close(file);
}

static rts_status start(void *state, const rts_load_spec *spec)
{
    return rts_programs_start(state, spec, step);
}

static void achieved(void *state, rts_load_fact_fn fact, void *arg)
{
    static const char *const names[RTS_PROGRAM_COUNTS] = {"files", "bytes_written"};
    rts_programs_achieved(state, names, fact, arg);
}

const rts_load rts_load_files = {
    .name = "files",
    .summary = "Linux only: programs that write, read back and drop files in /tmp",
    .unit = "programs",
    .services = 1u << RTS_SERVICE_PROGRAMS,
    .state_bytes = sizeof(rts_programs),
    .start = start,
    .stop = rts_programs_stop,
    .achieved = achieved,
    .faults = rts_programs_failures,
};
