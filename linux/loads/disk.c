/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs that write to a disk and wait until it has the data: blocks of a bounded file without a name, fdatasync after each few.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "machine.h"
#include "programs.h"

#define BLOCK_BYTES 65536u
#define BLOCKS 256u      /* of a file: 16 MiB, written over and over */
#define BLOCKS_A_SYNC 4u /* a sync is what a stop waits for */
#define FILE_BYTES ((uint64_t)BLOCK_BYTES * BLOCKS)
#define SPARE_BYTES ((uint64_t)256 << 20) /* stays free whatever the load does */

enum { WRITTEN, SYNCS };

static char where[160];
static char folder[96];
static int file; /* of this process */
static uint64_t seed;

/** A file that nobody else sees, and that is gone when its last user is. */
static int open_file(void)
{
    char path[sizeof folder + 24u];
    const int made = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (made >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) {
        return made;
    }
    (void)snprintf(path, sizeof path, "%s/.rtstone-XXXXXX", folder);
    const int named = mkostemp(path, O_CLOEXEC);
    if (named >= 0) {
        (void)unlink(path);
    }
    return named;
}

/** Data that no file system can compress or store once. */
static void fill(uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        words[i] = seed;
    }
}

static void step(rts_program *own)
{
    static uint64_t *block; /* not an array, which every process of the engine would have and lock */
    static uint32_t next;
    if (block == NULL && (block = malloc(BLOCK_BYTES)) == NULL) {
        own->failures++;
        (void)usleep(1000);
        return;
    }
    if (own->counts[WRITTEN] == 0 && file < 0) {
        file = open_file();
        seed += own->number;
    }
    for (uint32_t i = 0; i < BLOCKS_A_SYNC; i++, next = (next + 1u) % BLOCKS) {
        fill(block, BLOCK_BYTES / sizeof block[0]);
        if (pwrite(file, block, BLOCK_BYTES, (off_t)next * BLOCK_BYTES) != (ssize_t)BLOCK_BYTES) {
            own->failures++;
            (void)usleep(1000);
            return;
        }
        own->counts[WRITTEN] += BLOCK_BYTES;
    }
    if (fdatasync(file) == 0) {
        own->counts[SYNCS]++;
    } else {
        own->failures++;
    }
}

/** Whether the folder is on a disk with room enough; else why not. */
static bool fits(rts_programs *own, uint32_t intensity)
{
    static const char remedy[] = "name a folder on a disk: RTSTONE_LOAD_FOLDER=/folder";
    const char *const given = getenv("RTSTONE_LOAD_FOLDER");
    struct statvfs system;
    char type[32] = "";
    (void)snprintf(folder, sizeof folder, "%s", given != NULL && given[0] != '\0' ? given : "/var/tmp");
    if (statvfs(folder, &system) != 0 || !rts_machine_file_system(folder, type, sizeof type)) {
        (void)snprintf(own->why, sizeof own->why, "%s: %s; %s", folder, strerror(errno), remedy);
        return false;
    }
    if (strcmp(type, "tmpfs") == 0 || strcmp(type, "devtmpfs") == 0 || strcmp(type, "ramfs") == 0 ||
        strcmp(type, "rootfs") == 0) {
        (void)snprintf(own->why, sizeof own->why, "%s is in memory (%s) and not on a disk; %s", folder, type, remedy);
        return false;
    }
    const uint64_t wanted = intensity * FILE_BYTES + SPARE_BYTES;
    const uint64_t there = (uint64_t)system.f_bavail * system.f_frsize;
    if (there < wanted) {
        (void)snprintf(own->why, sizeof own->why,
                       "%s (%s) has %llu MiB free and %llu are needed, most of them to stay free; %s", folder, type,
                       (unsigned long long)(there >> 20), (unsigned long long)(wanted >> 20), remedy);
        return false;
    }
    const int tried = open_file();
    if (tried < 0) {
        (void)snprintf(own->why, sizeof own->why, "no file can be made in %s: %s; %s", folder, strerror(errno), remedy);
        return false;
    }
    (void)close(tried);
    (void)snprintf(where, sizeof where, "the load disk writes to %s (%s)", folder, type);
    return true;
}

static rts_status start(void *state, const rts_load_spec *spec)
{
    rts_programs *const own = state;
    if (spec->intensity > RTS_PROGRAMS) {
        return RTS_INVALID;
    }
    if (!fits(own, spec->intensity)) {
        return RTS_FAILED;
    }
    file = -1;
    seed = spec->seed;
    return rts_programs_start(state, spec, step);
}

static const char *remark(const void *state)
{
    (void)state;
    return where;
}

static void achieved(void *state, rts_load_fact_fn fact, void *arg)
{
    static const char *const names[RTS_PROGRAM_COUNTS] = {"bytes_written", "syncs"};
    rts_programs_achieved(state, names, fact, arg);
    fact(arg, "kilobytes_per_s", rts_programs_per_s(state, rts_programs_sum(state, WRITTEN) / 1000u));
}

const rts_load rts_load_disk = {
    .name = "disk",
    .summary = "Linux only: programs that write to a disk and wait for it, in bounded files without a name",
    .unit = "programs",
    .services = 1u << RTS_SERVICE_PROGRAMS,
    .state_bytes = sizeof(rts_programs),
    .start = start,
    .stop = rts_programs_stop,
    .achieved = achieved,
    .why = rts_programs_why,
    .remark = remark,
    .faults = rts_programs_failures,
};
