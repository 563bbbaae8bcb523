/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Facts of the kernel's settings and of this process's limits, each read and none guessed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "files.h"
#include "groups.h"

/** How the kernel preempts: as it reports at run time, else as its version string shows. */
static void preemption(rts_fact_fn fact, void *arg)
{
    char line[128];
    int64_t realtime = 0;
    if (rts_linux_integer("/sys/kernel/realtime", &realtime) && realtime == 1) {
        fact(arg, "kernel.preempt", "PREEMPT_RT");
        return;
    }
    if (rts_linux_line("/sys/kernel/debug/sched/preempt", line, sizeof line)) {
        /* "none (voluntary) full": the one in force stands in brackets. */
        char *const begin = strchr(line, '(');
        char *const end = begin == NULL ? NULL : strchr(begin, ')');
        if (end != NULL) {
            *end = '\0';
            fact(arg, "kernel.preempt", begin + 1);
            return;
        }
    }
    static const char *const words[] = {"PREEMPT_RT", "PREEMPT_DYNAMIC", "PREEMPT"};
    struct utsname names;
    if (uname(&names) < 0) {
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(names.version, words[i]) != NULL) {
            fact(arg, "kernel.preempt", words[i]);
            return;
        }
    }
}

static void limit_fact(rts_fact_fn fact, void *arg, const char *key, int resource)
{
    struct rlimit limit;
    char text[32];
    if (getrlimit(resource, &limit) != 0) {
        return;
    }
    if (limit.rlim_cur == RLIM_INFINITY) {
        fact(arg, key, "unlimited");
        return;
    }
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)limit.rlim_cur);
    fact(arg, key, text);
}

static void clocks(rts_fact_fn fact, void *arg)
{
    rts_linux_file_fact(fact, arg, "clock.source", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    struct timex state;
    memset(&state, 0, sizeof state);
    if (adjtimex(&state) >= 0) {
        fact(arg, "clock.synchronised", (state.status & STA_UNSYNC) != 0 ? "no" : "yes");
    }
    const int slack_ns = prctl(PR_GET_TIMERSLACK);
    if (slack_ns >= 0) {
        char text[24];
        (void)snprintf(text, sizeof text, "%d", slack_ns);
        fact(arg, "tunable.timer_slack_ns", text);
    }
}

static void library(rts_fact_fn fact, void *arg)
{
#if defined(_CS_GNU_LIBC_VERSION)
    char text[64];
    if (confstr(_CS_GNU_LIBC_VERSION, text, sizeof text) > 0) {
        fact(arg, "libc", text);
    }
#endif
}

/** What the control groups allow, where they limit it. */
static void groups(rts_fact_fn fact, void *arg)
{
    char text[1024];
    const uint64_t quota = rts_group_least("", "cpu", rts_group_quota);
    const uint64_t memory = rts_group_least("", "memory", rts_group_memory);
    if (quota != RTS_GROUP_UNLIMITED) {
        (void)snprintf(text, sizeof text, "%" PRIu64 " millicpus", quota);
        fact(arg, "limit.cpu-quota", text);
    }
    if (memory != RTS_GROUP_UNLIMITED) {
        (void)snprintf(text, sizeof text, "%" PRIu64, memory);
        fact(arg, "limit.memory_bytes", text);
    }
    if (rts_group_cpus("", text, sizeof text)) {
        fact(arg, "limit.cpuset", text);
    }
}

void rts_system_describe(rts_fact_fn fact, void *arg)
{
    static const struct {
        const char *key;
        const char *path;
    } files[] = {
        {"kernel.cmdline", "/proc/cmdline"},
        {"tunable.sched_rt_runtime_us", "/proc/sys/kernel/sched_rt_runtime_us"},
        {"tunable.sched_rt_period_us", "/proc/sys/kernel/sched_rt_period_us"},
        {"tunable.timer_migration", "/proc/sys/kernel/timer_migration"},
        {"tunable.transparent_hugepage", "/sys/kernel/mm/transparent_hugepage/enabled"},
        {"tunable.swappiness", "/proc/sys/vm/swappiness"},
        {"tunable.watchdog", "/proc/sys/kernel/watchdog"},
        {"tunable.msg_max", "/proc/sys/fs/mqueue/msg_max"},
        {"tunable.tcp_congestion_control", "/proc/sys/net/ipv4/tcp_congestion_control"}, /* bbr paces, others do not */
    };
    preemption(fact, arg);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        rts_linux_file_fact(fact, arg, files[i].key, files[i].path);
    }
    rts_linux_describe_cpu(fact, arg);
    library(fact, arg);
    clocks(fact, arg);
    limit_fact(fact, arg, "limit.rtprio", RLIMIT_RTPRIO);
    limit_fact(fact, arg, "limit.memlock_bytes", RLIMIT_MEMLOCK);
    limit_fact(fact, arg, "limit.msgqueue_bytes", RLIMIT_MSGQUEUE);
    groups(fact, arg);
    rts_linux_describe_latency(fact, arg);
    rts_linux_describe_probe(fact, arg);
}
