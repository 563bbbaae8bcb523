/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The limits that Linux sets to real-time threads and locked memory, and the commands that lift them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <linux/capability.h>

#include "files.h"

void rts_system_realtime_limit(uint64_t *runtime_ns, uint64_t *period_ns)
{
    int64_t runtime_us = -1;
    int64_t period_us = 0;
    *runtime_ns = 0;
    *period_ns = 0;
    if (rts_linux_integer("/proc/sys/kernel/sched_rt_runtime_us", &runtime_us) && runtime_us >= 0 &&
        rts_linux_integer("/proc/sys/kernel/sched_rt_period_us", &period_us) && period_us > 0) {
        *runtime_ns = (uint64_t)runtime_us * 1000u;
        *period_ns = (uint64_t)period_us * 1000u;
    }
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
    if (access("/var/run/secrets/kubernetes.io", F_OK) == 0) {
        return "kubernetes";
    }
    return rts_linux_line("/run/systemd/container", name, sizeof name) ? name : NULL;
}

/** True if the kernel would ever grant CAP_SYS_NICE to this process: a container may have taken it away for good. */
static bool grantable(void)
{
    return prctl(PR_CAPBSET_READ, CAP_SYS_NICE, 0, 0, 0) == 1;
}

/** True if it has been granted already. */
static bool granted(void)
{
    char value[32];
    return rts_linux_field("/proc/self/status", "CapEff", value, sizeof value) &&
           (strtoull(value, NULL, 16) & 1ull << CAP_SYS_NICE) != 0;
}

const char *rts_system_capabilities(void)
{
    static char value[32];
    const bool known = rts_linux_field("/proc/self/status", "CapEff", value, sizeof value);
    return known && strspn(value, "0123456789abcdef") == strlen(value) ? value : "0";
}

/** Lifts the limits of a shell and of what it starts from then on. */
#define LIFT_LIMITS "sudo prlimit --pid $$ --rtprio=95 --memlock=unlimited"

/** True if file capabilities have no effect on this process. */
static bool no_new_privileges(void)
{
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

/** The command that grants the engine what it lacks, by its own path. */
static void grant_command(char *remedy, size_t room)
{
    char path[256];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (!grantable()) {
        (void)snprintf(remedy, room,
                       "start the container with --cap-add SYS_NICE --cap-add IPC_LOCK --ulimit rtprio=95 "
                       "--ulimit memlock=-1");
        return;
    }
    if (length <= 0 || no_new_privileges()) {
        (void)snprintf(remedy, room, LIFT_LIMITS);
        return;
    }
    path[length] = '\0';
    (void)snprintf(remedy, room, "sudo setcap cap_sys_nice,cap_ipc_lock+ep %s", path);
}

/** What would make that command useless, as a further sentence; "" when nothing does. */
static const char *caveat(void)
{
    if (granted()) {
        return "; it has CAP_SYS_NICE, so the control group has no real-time budget (cpu.rt_runtime_us)";
    }
    if (!grantable()) {
        return "; this container is without CAP_SYS_NICE";
    }
    if (no_new_privileges()) {
        return "; this process runs with no_new_privs, under which file capabilities have no effect";
    }
    return "";
}

void rts_system_realtime_refused(char *text, size_t text_bytes, char *remedy, size_t remedy_bytes)
{
    (void)snprintf(
        text, text_bytes,
        "SCHED_FIFO at priority %d is refused, so every thread runs in the time-sharing class%s. For one shell: " LIFT_LIMITS,
        RTS_SYSTEM_PRIORITY, caveat());
    if (granted()) {
        (void)snprintf(remedy, remedy_bytes,
                       "echo 950000 | sudo tee /sys/fs/cgroup/cpu/<group of this shell>/cpu.rt_runtime_us");
        return;
    }
    grant_command(remedy, remedy_bytes);
}

void rts_system_lock_refused(char *text, size_t text_bytes, char *remedy, size_t remedy_bytes)
{
    (void)snprintf(text, text_bytes, "memory cannot be locked, so page faults may fall into measured times%s",
                   caveat());
    grant_command(remedy, remedy_bytes);
}
