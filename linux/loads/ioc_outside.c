/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The clients of an IOC out of its process, started by somebody else: out of the board, beside it on a live machine, or on another one. They follow a
 * record that says whether they are to burst, and write to another what they did. Nothing here can start or end them.
 */
#include "ioc_outside.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "boot_number.h"
#include "ioc_place.h"

rts_ioc_records rts_ioc_outside_records;

static char reason[RTS_LOAD_WHY_BYTES];
static bool is_live; /* no board: the IOC is a process among others */

static rts_status network(rts_cable *cable)
{
    if (rts_ioc_outside_records.account == NULL || rts_cable_init_outside(cable) == RTS_OK) {
        return rts_ioc_outside_records.account == NULL ? RTS_UNSUPPORTED : RTS_OK;
    }
    /* Interrupts of the device that serves are counted where it has a name in /proc/interrupts. */
    const char *const device = getenv("RTSTONE_IOC_NETWORK");
    (void)snprintf(cable->names.near_name, sizeof cable->names.near_name, "%s", device == NULL ? "" : device);
    cable->is_outside = true;
    is_live = true;
    return RTS_OK;
}

/** The threads that serve go where it is measured, as on the paper's one CPU: elsewhere the load would not be felt. */
static void serve_on(int32_t cpu)
{
    const long self = syscall(SYS_gettid);
    DIR *const threads = opendir("/proc/self/task");
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    for (const struct dirent *each = threads == NULL ? NULL : readdir(threads); each != NULL; each = readdir(threads)) {
        const long thread = strtol(each->d_name, NULL, 10);
        if (thread > 0 && thread != self) {
            (void)sched_setaffinity((pid_t)thread, sizeof one, &one);
        }
    }
    if (threads != NULL) {
        (void)closedir(threads);
    }
}

static bool has_told(const void *arg)
{
    const rtstone_load_account *const account = arg;
    return account->connected != 0 && account->watching != 0;
}

static bool failed(void)
{
    return false; /* whoever started them ends the run when they end */
}

static rtstone_load_account *start(uint32_t records, uint32_t pause_ms, int32_t cpu, const char **why)
{
    rtstone_load_account *const account = rts_ioc_outside_records.account;
    if (is_live && cpu >= 0) {
        serve_on(cpu);
    }
    if (!ioc_place_until(&ioc_outside, has_told, account, 10000)) {
        *why = "none have come";
        return NULL;
    }
    if (account->records != records || account->pause_ms != pause_ms) {
        (void)snprintf(reason, sizeof reason, "those that came burst %u records every %u ms, not %u every %u",
                       account->records, account->pause_ms, records, pause_ms);
        *why = reason;
        return NULL;
    }
    return account;
}

static bool elsewhere(void)
{
    const uint64_t theirs = rts_ioc_outside_records.account->machine;
    return theirs != 0 && theirs != rts_boot_number();
}

static void tell(void)
{
    rts_ioc_outside_records.tell();
}

static void nothing(void) {}

const ioc_place ioc_outside = {
    .where = "by clients outside of its process",
    .network = network,
    .start = start,
    .tell = tell,
    .rest = nothing,
    .failed = failed,
    .elsewhere = elsewhere,
    .end = nothing,
};
