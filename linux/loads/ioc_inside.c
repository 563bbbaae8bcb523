/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The two clients of an IOC, in the name space of the cable's far device. A keeper owns both and the name space; it takes them down when one ends.
 */
#include "ioc_place.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLIENTS 2u

/** Shared by the engine and the keeper. */
typedef struct shared {
    rts_cable cable;
    _Atomic int client[CLIENTS];
} shared;

static shared *common;
static rtstone_load_account *account; /* shared with the clients */
static int account_file = -1;         /* has no name that another could take */
static pid_t keeper;
static uint32_t records;
static uint32_t pause_ms;

static rts_status network(rts_cable *cable)
{
    char path[256];
    const char *const place = getenv("RTSTONE_IOC_PLACE");
    const bool there = place != NULL && snprintf(path, sizeof path, "%s/rtstone-caput", place) < (int)sizeof path &&
                       access(path, X_OK) == 0;
    return there ? rts_cable_init(cable) : RTS_UNSUPPORTED;
}

/* ---- the keeper ------------------------------------------------------------------------------------------------ */

static void as_children_are(pid_t parent)
{
    const struct sched_param ordinary = {.sched_priority = 0};
    sigset_t none;
    (void)sigemptyset(&none);
    for (int number = 1; number < NSIG; number++) {
        (void)signal(number, SIG_DFL);
    }
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (sched_setscheduler(0, SCHED_OTHER, &ordinary) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 ||
        getppid() != parent) {
        _exit(126);
    }
}

static _Noreturn void become(const char *program, char *const words[])
{
    (void)fcntl(account_file, F_SETFD, 0);         /* the client opens it by its number, below /proc/self/fd */
    const int nowhere = open("/dev/null", O_RDWR); /* standard output is the record stream */
    if (nowhere < 0 || dup2(nowhere, 0) < 0 || dup2(nowhere, 1) < 0 ||
        setenv("EPICS_CA_ADDR_LIST", "10.87.0.1", 1) != 0 || setenv("EPICS_CA_AUTO_ADDR_LIST", "NO", 1) != 0) {
        _exit(126);
    }
    (void)execv(program, words);
    _exit(127);
}

static bool start_client(unsigned number, const char *name, bool with_pause)
{
    char program[256];
    char count[16];
    char pause[24];
    char shared_page[32];
    (void)snprintf(program, sizeof program, "%s/%s", getenv("RTSTONE_IOC_PLACE"), name);
    (void)snprintf(count, sizeof count, "%u", records);
    (void)snprintf(pause, sizeof pause, "%u.%03u", pause_ms / 1000u, pause_ms % 1000u);
    (void)snprintf(shared_page, sizeof shared_page, "/proc/self/fd/%d", account_file);
    char *const put[] = {program, count, pause, "--account", shared_page, "--json", NULL};
    char *const monitor[] = {program, count, "--account", shared_page, "--json", NULL};
    const pid_t self = getpid();
    const pid_t made = fork();
    if (made == 0) {
        as_children_are(self);
        become(program, with_pause ? put : monitor);
    }
    atomic_store(&common->client[number], (int)made);
    return made > 0;
}

static _Noreturn void keep(pid_t engine, int32_t cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    as_children_are(engine);
    int code = 0;
    if (sched_setaffinity(0, sizeof one, &one) != 0 || !rts_cable_enter_far(&common->cable) ||
        !link_up("lo", INADDR_LOOPBACK) || !start_client(0, "rtstone-camonitor", false)) {
        atomic_store(&common->cable.failed, true);
        _exit(1);
    }
    atomic_store(&common->cable.far_is_up, true);
    /* What is put is to be monitored from the first burst on. */
    while (atomic_load(&account->watching) == 0 && waitpid(-1, NULL, WNOHANG) == 0) {
        (void)usleep(10000);
    }
    if (atomic_load(&account->watching) == 0 || !start_client(1, "rtstone-caput", true)) {
        atomic_store(&common->cable.failed, true);
        _exit(1);
    }
    (void)waitpid(-1, NULL, 0); /* neither ends by itself */
    atomic_store(&common->cable.failed, true);
    for (unsigned i = 0; i < CLIENTS; i++) {
        (void)kill((pid_t)atomic_load(&common->client[i]), SIGKILL);
    }
    while (waitpid(-1, NULL, 0) > 0) {
        code = 0;
    }
    _exit(code);
}

/* ---- the engine's side ----------------------------------------------------------------------------------------- */

static void signal_both(int number)
{
    for (unsigned i = 0; i < CLIENTS; i++) {
        const pid_t client = (pid_t)atomic_load(&common->client[i]);
        if (client > 0) {
            (void)kill(client, number);
        }
    }
}

static bool share(void)
{
    if (common == NULL) {
        const int file = memfd_create("rtstone-account", MFD_CLOEXEC);
        void *const page = file < 0 || ftruncate(file, 4096) != 0
                               ? MAP_FAILED
                               : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        void *const rest = mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED || rest == MAP_FAILED) {
            if (file >= 0) {
                (void)close(file);
            }
            return false;
        }
        account_file = file;
        account = page;
        common = rest;
    }
    memset(account, 0, sizeof *account);
    memset(common, 0, sizeof *common);
    common->cable.terminal = -1;
    return true;
}

static bool both_are_here(const void *arg)
{
    const rts_cable *const cable = arg;
    return link_exists(cable->names.far_name) && link_exists(cable->names.near_name);
}

static bool far_is_made(const void *arg)
{
    const rts_cable *const cable = arg;
    return atomic_load(&cable->far_process) != 0;
}

static bool far_is_up(const void *arg)
{
    const rts_cable *const cable = arg;
    return atomic_load(&cable->far_is_up) && link_runs(cable->names.near_name);
}

static bool has_failed(void)
{
    return common != NULL && atomic_load(&common->cable.failed);
}

static bool until(bool (*holds)(const void *arg), unsigned each_us)
{
    return ioc_place_until(&ioc_inside, holds, &common->cable, each_us);
}

static void end(void)
{
    if (keeper > 0) {
        atomic_store(&common->cable.stop, true);
        signal_both(SIGKILL);
        (void)waitpid(keeper, NULL, 0);
    }
    keeper = 0;
}

static rtstone_load_account *start(uint32_t wanted_records, uint32_t wanted_pause_ms, int32_t cpu, const char **why)
{
    records = wanted_records;
    pause_ms = wanted_pause_ms;
    if (!share() || rts_cable_init(&common->cable) != RTS_OK) {
        *why = "no memory is to be shared with them";
        return NULL;
    }
    *why = "their end of the cable did not come up";
    if (!until(both_are_here, 10000)) {
        return NULL;
    }
    const pid_t engine = getpid();
    keeper = fork();
    if (keeper == 0) {
        keep(engine, cpu);
    }
    if (keeper < 0 || !until(far_is_made, 1000) ||
        !link_move(common->cable.names.far_name, (pid_t)atomic_load(&common->cable.far_process)) ||
        !link_up(common->cable.names.near_name, RTS_CABLE_NEAR_ADDRESS) || !until(far_is_up, 1000)) {
        return NULL;
    }
    return account;
}

static void tell(void)
{
    if (account->wanted != 0) {
        signal_both(SIGCONT);
    }
}

static void rest(void)
{
    signal_both(SIGSTOP);
}

static bool elsewhere(void)
{
    return false;
}

const ioc_place ioc_inside = {
    .where = "by clients at the far end of the cable",
    .network = network,
    .start = start,
    .tell = tell,
    .rest = rest,
    .failed = has_failed,
    .elsewhere = elsewhere,
    .end = end,
};
