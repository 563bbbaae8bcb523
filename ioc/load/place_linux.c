/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where the clients of an IOC on Linux are: programs at the far end of the board's cable, or outside of the IOC's process.
 */
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "boot_number.h"
#include "far_programs.h"
#include "outside.h"
#include "place.h"

/** The devices on the way to the clients, for the number of interrupts. */
static rts_cable between;

static void count(bool begins)
{
    if (begins) {
        rts_cable_begin(&between);
    } else {
        rts_cable_stop(&between);
    }
}

static void achieved(rts_load_fact_fn fact, void *arg)
{
    rts_cable_achieved(&between, fact, arg);
}

/* ---- at the far end of the cable ------------------------------------------------------------------------------- */

static rtstone_load_account *account; /* shared with the clients */
static int account_file = -1;         /* has no name that another could take */

/** The path of a client's program. False: it is not there. */
static bool program(const char *name, char path[256])
{
    const char *const folder = getenv("RTSTONE_IOC_PLACE");
    return folder != NULL && snprintf(path, 256, "%s/%s", folder, name) < 256 && access(path, X_OK) == 0;
}

static rts_status open_far(void)
{
    char path[256];
    between = (rts_cable){.terminal = -1};
    return program("rtstone-caput", path) ? rts_cable_init(&between) : RTS_UNSUPPORTED;
}

static bool share(void)
{
    if (account == NULL) {
        const int file = memfd_create("rtstone-account", MFD_CLOEXEC);
        void *const page = file < 0 || ftruncate(file, 4096) != 0
                               ? MAP_FAILED
                               : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (page == MAP_FAILED) {
            if (file >= 0) {
                (void)close(file);
            }
            return false;
        }
        account_file = file;
        account = page;
    }
    memset(account, 0, sizeof *account);
    return true;
}

/** What is put is to be monitored from the first burst on. */
static bool is_watched(void)
{
    return account->watching != 0;
}

static rtstone_load_account *start_far(uint32_t records, uint32_t pause_ms, int32_t cpu, void (*give_up)(void),
                                       const char **why)
{
    static char addresses[] = "EPICS_CA_ADDR_LIST=10.87.0.1";
    static char automatic[] = "EPICS_CA_AUTO_ADDR_LIST=NO";
    char *const environment[] = {addresses, automatic, NULL};
    char caput[256];
    char camonitor[256];
    char amount[16];
    char pause[24];
    char shared_page[32];
    *why = "no memory is to be shared with them";
    if (!share()) {
        return NULL;
    }
    (void)snprintf(amount, sizeof amount, "%u", records);
    (void)snprintf(pause, sizeof pause, "%u.%03u", pause_ms / 1000u, pause_ms % 1000u);
    (void)snprintf(shared_page, sizeof shared_page, "/proc/self/fd/%d", account_file);
    char account_option[] = "--account";
    char json_option[] = "--json";
    char *const put[] = {caput, amount, pause, account_option, shared_page, json_option, NULL};
    char *const monitor[] = {camonitor, amount, account_option, shared_page, json_option, NULL};
    const rts_far_spec spec = {.words = {monitor, put},
                               .environment = environment,
                               .descriptor = account_file,
                               .may_go_on = is_watched,
                               .cpu = cpu};
    *why = "their end of the cable did not come up";
    rts_cable_keep(give_up);
    return program("rtstone-caput", caput) && program("rtstone-camonitor", camonitor) && rts_far_start(&spec) ? account
                                                                                                              : NULL;
}

static void tell_far(void)
{
    if (account->wanted != 0) {
        rts_far_signal(SIGCONT);
    }
}

static void rest_far(void)
{
    rts_far_signal(SIGSTOP);
}

static bool never(void)
{
    return false;
}

static void end_far(void)
{
    rts_far_end();
    rts_cable_keep(NULL);
}

static const ioc_place far_end = {
    .where = "by clients at the far end of the cable",
    .open = open_far,
    .count = count,
    .achieved = achieved,
    .start = start_far,
    .tell = tell_far,
    .rest = rest_far,
    .failed = rts_far_failed,
    .elsewhere = never,
    .end = end_far,
};

/* ---- outside of the process ------------------------------------------------------------------------------------ */

static bool is_live; /* no board: the IOC is a process among others */

static rts_status open_outside(void)
{
    between = (rts_cable){.terminal = -1};
    if (rts_ioc_outside_records.account == NULL) {
        return RTS_UNSUPPORTED;
    }
    is_live = rts_cable_init_outside(&between) != RTS_OK;
    if (is_live) {
        /* Interrupts of the device that serves are counted where it has a name in /proc/interrupts. */
        const char *const device = getenv("RTSTONE_IOC_NETWORK");
        (void)snprintf(between.names.near_name, sizeof between.names.near_name, "%s", device == NULL ? "" : device);
        between.is_outside = true;
    }
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

static rtstone_load_account *start_outside(uint32_t records, uint32_t pause_ms, int32_t cpu, void (*give_up)(void),
                                           const char **why)
{
    (void)give_up; /* the network is not this process's to give up */
    if (is_live && cpu >= 0) {
        serve_on(cpu);
    }
    return ioc_outside_start(records, pause_ms, why);
}

static bool elsewhere(void)
{
    const uint64_t theirs = rts_ioc_outside_records.account->machine;
    return theirs != 0 && theirs != rts_boot_number();
}

static void nothing(void) {}

static const ioc_place outside = {
    .where = "by clients outside of its process",
    .open = open_outside,
    .count = count,
    .achieved = achieved,
    .start = start_outside,
    .tell = ioc_outside_tell,
    .rest = nothing,
    .failed = ioc_outside_failed,
    .elsewhere = elsewhere,
    .end = nothing,
};

const ioc_place *const ioc_places[] = {&far_end, &outside, NULL};
