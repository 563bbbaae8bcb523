/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The limits that Linux sets to real-time threads and locked memory, and the commands that lift them.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "files.h"
#include "groups.h"

/** What real-time threads may use of a CPU: the least of all that limits them. */
typedef struct budget {
    double share;        /**< of a period */
    uint64_t runtime_ns; /**< the least that one limit allows in its own period; 0: nothing limits */
} budget;

static void limit_to(budget *least, uint64_t runtime_ns, uint64_t period_ns)
{
    const double share = (double)runtime_ns / (double)period_ns;
    const bool first = least->runtime_ns == 0;
    if (runtime_ns >= period_ns || runtime_ns == 0) {
        return; /* a budget of nothing at all refuses the real-time class: then nothing has to rest */
    }
    least->share = first || share < least->share ? share : least->share;
    least->runtime_ns = first || runtime_ns < least->runtime_ns ? runtime_ns : least->runtime_ns;
}

/** The budgets of the process's control group and of all above it, which the kernel keeps unless sched_rt_runtime_us is -1. */
static void limit_by_groups(budget *least, const char *root)
{
    rts_group group;
    bool more = rts_group_find(&group, root, "cpu");
    while (more) {
        uint64_t runtime_us = 0;
        uint64_t period_us = 0;
        if (rts_group_budget(&group, &runtime_us, &period_us)) {
            limit_to(least, runtime_us * 1000u, period_us * 1000u);
        }
        more = rts_group_up(&group);
    }
}

/* kernel/sched/deadline.c: the time of each period that starving ordinary threads get, by the default settings. */
#define FAIR_RUNTIME_NS UINT64_C(50000000)
#define FAIR_PERIOD_NS UINT64_C(1000000000)
#define FAIR_SERVERS "/sys/kernel/debug/sched/fair_server"

/** True if the kernel has a deadline server for ordinary threads: Linux 6.12 and later. */
static bool has_fair_server(const char *root)
{
    char path[RTS_GROUP_PATH];
    char release[64];
    char *end = NULL;
    (void)snprintf(path, sizeof path, "%s/proc/sys/kernel/osrelease", root);
    if (!rts_linux_line(path, release, sizeof release)) {
        return false;
    }
    const unsigned long major = strtoul(release, &end, 10);
    const unsigned long minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
    return major > 6 || (major == 6 && minor >= 12);
}

/** By the settings of each CPU's fair server; by its default where they cannot be read. */
static void limit_by_fair_server(budget *least, const char *root)
{
    char path[RTS_GROUP_PATH];
    unsigned read = 0;
    for (unsigned cpu = 0;; cpu++) {
        int64_t runtime = 0;
        int64_t period = 0;
        (void)snprintf(path, sizeof path, "%s" FAIR_SERVERS "/cpu%u/runtime", root, cpu);
        if (!rts_linux_integer(path, &runtime)) {
            break;
        }
        (void)snprintf(path, sizeof path, "%s" FAIR_SERVERS "/cpu%u/period", root, cpu);
        if (!rts_linux_integer(path, &period) || period <= 0 || runtime < 0 || runtime > period) {
            break;
        }
        read++;
        limit_to(least, (uint64_t)(period - runtime), (uint64_t)period);
    }
    if (read == 0) {
        limit_to(least, FAIR_PERIOD_NS - FAIR_RUNTIME_NS, FAIR_PERIOD_NS);
    }
}

void rts_linux_realtime_limit(const char *root, uint64_t *runtime_ns, uint64_t *period_ns)
{
    char path[RTS_GROUP_PATH];
    int64_t runtime_us = -1;
    int64_t period_us = 0;
    budget least = {0};
    (void)snprintf(path, sizeof path, "%s/proc/sys/kernel/sched_rt_runtime_us", root);
    const bool known = rts_linux_integer(path, &runtime_us);
    (void)snprintf(path, sizeof path, "%s/proc/sys/kernel/sched_rt_period_us", root);
    if (known && runtime_us >= 0 && rts_linux_integer(path, &period_us) && period_us > 0) {
        limit_to(&least, (uint64_t)runtime_us * 1000u, (uint64_t)period_us * 1000u);
        limit_by_groups(&least, root);
    }
    if (has_fair_server(root)) {
        limit_by_fair_server(&least, root);
    }
    *runtime_ns = least.runtime_ns;
    *period_ns = least.runtime_ns == 0 ? 0 : (uint64_t)((double)least.runtime_ns / least.share);
}

void rts_system_realtime_limit(uint64_t *runtime_ns, uint64_t *period_ns)
{
    rts_linux_realtime_limit("", runtime_ns, period_ns);
}

const char *rts_linux_container(void)
{
    static char name[64];
    if (access("/.dockerenv", F_OK) == 0) {
        return "docker";
    }
    if (access("/run/.containerenv", F_OK) == 0) {
        return "podman";
    }
    /* A pod that mounts no token of its service account has the variable alone. */
    if (access("/var/run/secrets/kubernetes.io", F_OK) == 0 || getenv("KUBERNETES_SERVICE_HOST") != NULL) {
        return "kubernetes";
    }
    if (rts_linux_line("/run/systemd/container", name, sizeof name)) {
        return name;
    }
    /* Podman with a read-only root makes no file, and sets the variable alone. */
    const char *const manager = getenv("container");
    return manager != NULL && manager[0] != '\0' ? manager : NULL;
}

bool rts_linux_grantable(int capability)
{
    return prctl(PR_CAPBSET_READ, (unsigned long)capability, 0, 0, 0) == 1;
}

/** True if it has been granted already. */
static bool granted(int capability)
{
    char value[32];
    return rts_linux_field("/proc/self/status", "CapEff", value, sizeof value) &&
           (strtoull(value, NULL, 16) & 1ull << capability) != 0;
}

const char *rts_system_capabilities(void)
{
    static char value[32];
    const bool known = rts_linux_field("/proc/self/status", "CapEff", value, sizeof value);
    return known && strspn(value, "0123456789abcdef") == strlen(value) ? value : "0";
}

void rts_system_claim_granted(void)
{
    /* A file that grants with its effective flag set (+ep) cannot be started at all where the bounding set lacks what it grants. With +p it starts. */
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, data) == 0) {
        for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
            data[i].effective = data[i].permitted;
        }
        (void)syscall(SYS_capset, &header, data);
    }
}

/** Lifts the limits of a shell and of the programs that it starts from then on. */
#define LIFT_LIMITS "sudo prlimit --pid $$ --rtprio=95 --memlock=unlimited"

/** True if file capabilities have no effect on this process. */
static bool no_new_privileges(void)
{
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

/** What the kernel may refuse: the system call, and the capability that allows it. */
typedef struct privilege {
    const char *call;
    const char *name;
    int capability;
    bool filtered; /**< a seccomp filter answers instead of the kernel */
} privilege;

/* The kernel answers each of these two calls with EINVAL, for any caller, before it checks privileges. A seccomp filter checks the call's number. */
static privilege scheduling(void)
{
    const struct sched_param none = {0};
    const bool filtered = sched_setscheduler(0, -1, &none) != 0 && errno != EINVAL;
    return (privilege){"sched_setscheduler()", "CAP_SYS_NICE", CAP_SYS_NICE, filtered};
}

static privilege locking(void)
{
    const bool filtered = mlockall(0) != 0 && errno != EINVAL;
    return (privilege){"mlockall()", "CAP_IPC_LOCK", CAP_IPC_LOCK, filtered};
}

/** The command or the container's option that grants what is refused, though not yet granted. */
static void grant_command(const privilege *lacking, char *remedy, size_t room)
{
    char path[256];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (lacking->filtered) {
        (void)snprintf(remedy, room,
                       "start the container with a seccomp profile that allows %s: --security-opt seccomp=PROFILE, or "
                       "unconfined",
                       lacking->call);
        return;
    }
    if (!rts_linux_grantable(lacking->capability)) {
        (void)snprintf(remedy, room, "start the container with%s%s",
                       rts_linux_grantable(CAP_SYS_NICE) ? "" : " --cap-add SYS_NICE",
                       rts_linux_grantable(CAP_IPC_LOCK) ? "" : " --cap-add IPC_LOCK");
        return;
    }
    if (length <= 0 || no_new_privileges()) {
        (void)snprintf(remedy, room, LIFT_LIMITS);
        return;
    }
    path[length] = '\0';
    (void)snprintf(remedy, room, "sudo setcap cap_sys_nice,cap_ipc_lock+p %s", path);
}

/** What would make that command useless, as a further sentence; "" when nothing does. `although`: why it is refused though granted. */
static void caveat(const privilege *lacking, const char *although, char *text, size_t room)
{
    text[0] = '\0';
    if (lacking->filtered) {
        (void)snprintf(text, room, "; a seccomp filter refuses %s", lacking->call);
    } else if (granted(lacking->capability)) {
        (void)snprintf(text, room, "; it has %s, %s", lacking->name, although);
    } else if (!rts_linux_grantable(lacking->capability)) {
        (void)snprintf(text, room, "; this container is without %s", lacking->name);
    } else if (no_new_privileges()) {
        (void)snprintf(text, room,
                       "; this process runs with no_new_privs, under which file capabilities have no effect");
    }
}

void rts_system_realtime_refused(char *text, size_t text_bytes, char *remedy, size_t remedy_bytes)
{
    const privilege lacking = scheduling();
    const bool budget = !lacking.filtered && granted(lacking.capability);
    const bool liftable = !lacking.filtered && !budget && rts_linux_grantable(CAP_SYS_RESOURCE);
    char why[160];
    caveat(&lacking, "so the control group has no real-time budget (cpu.rt_runtime_us)", why, sizeof why);
    (void)snprintf(text, text_bytes,
                   "SCHED_FIFO at priority %d is refused, so every thread runs in the time-sharing class%s%s",
                   RTS_SYSTEM_PRIORITY, why, liftable ? ". For one shell: " LIFT_LIMITS : "");
    if (!budget) {
        grant_command(&lacking, remedy, remedy_bytes);
    } else if (rts_linux_container() != NULL && access("/sys/fs/cgroup", W_OK) != 0) {
        (void)snprintf(remedy, remedy_bytes, "start the container with --cpu-rt-runtime 950000");
    } else {
        (void)snprintf(remedy, remedy_bytes,
                       "echo 950000 | sudo tee /sys/fs/cgroup/cpu/<group of this shell>/cpu.rt_runtime_us");
    }
}

void rts_system_lock_refused(char *text, size_t text_bytes, char *remedy, size_t remedy_bytes)
{
    const privilege lacking = locking();
    char why[160];
    caveat(&lacking, "so a limit refuses the memory itself", why, sizeof why);
    (void)snprintf(text, text_bytes, "memory cannot be locked, so page faults may fall into measured times%s", why);
    if (!lacking.filtered && granted(lacking.capability)) {
        (void)snprintf(remedy, remedy_bytes, "ulimit -v unlimited");
    } else {
        grant_command(&lacking, remedy, remedy_bytes);
    }
}
