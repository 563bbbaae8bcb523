/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "calls.h"

#include "../files.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOADS 20u
#define NOT_SUPPORTED 524 /* the kernel's ENOTSUPP, which no header of user space has */

static int call(enum bpf_cmd command, union bpf_attr *words)
{
    return (int)syscall(SYS_bpf, command, words, sizeof *words);
}

static uint64_t address(const void *at)
{
    return (uint64_t)(uintptr_t)at;
}

static union bpf_attr of_map(int map, const void *key)
{
    union bpf_attr words;
    memset(&words, 0, sizeof words);
    words.map_fd = (uint32_t)map;
    words.key = address(key);
    return words;
}

bool rts_bpf_load_again(int error, uint32_t *tries)
{
    return error == EAGAIN && ++*tries < LOADS;
}

void rts_bpf_why_not(int error, char *why, size_t room)
{
    char filter[8];
    int64_t jit = 0;
    const uint64_t needed = UINT64_C(1) << CAP_BPF | UINT64_C(1) << CAP_PERFMON;
    const uint64_t held = strtoull(rts_system_capabilities(), NULL, 16);
    const bool has = (held & needed) == needed || (held & UINT64_C(1) << CAP_SYS_ADMIN) != 0;
    if (error == EPERM && has && rts_linux_field("/proc/self/status", "Seccomp", filter, sizeof filter) &&
        strcmp(filter, "2") == 0) {
        (void)snprintf(
            why, room,
            "this process has CAP_BPF and CAP_PERFMON, but its seccomp filter refuses bpf(): start the container "
            "with a profile that allows it (--security-opt seccomp=PROFILE, or unconfined)");
    } else if (error == EPERM && !(rts_linux_grantable(CAP_BPF) && rts_linux_grantable(CAP_PERFMON))) {
        (void)snprintf(why, room,
                       "BPF programs take CAP_BPF and CAP_PERFMON, which this container does not have: start it with "
                       "--cap-add BPF --cap-add PERFMON");
    } else if (error == EPERM) { /* not EACCES: by that the kernel rejects a program */
        (void)snprintf(why, room,
                       "BPF programs take CAP_BPF and CAP_PERFMON: run it as root, or "
                       "sudo setcap cap_sys_nice,cap_ipc_lock,cap_bpf,cap_perfmon+p on the engine");
    } else if (error == NOT_SUPPORTED && rts_linux_integer("/proc/sys/net/core/bpf_jit_enable", &jit) && jit == 0) {
        (void)snprintf(why, room,
                       "these BPF programs need the kernel's JIT compiler, which is off: sudo sysctl "
                       "net.core.bpf_jit_enable=1 (rtstone run works without it)");
    } else {
        (void)snprintf(why, room, "this kernel does not take the BPF programs, which are for Linux 5.17 and newer: %s",
                       error == NOT_SUPPORTED ? "not supported (error 524)" : strerror(error));
    }
}

int rts_bpf_attach(int program)
{
    union bpf_attr words;
    memset(&words, 0, sizeof words);
    words.raw_tracepoint.prog_fd = (uint32_t)program;
    return call(BPF_RAW_TRACEPOINT_OPEN, &words);
}

void rts_bpf_add_cost(int program, rts_bpf_cost *cost)
{
    struct bpf_prog_info info;
    union bpf_attr words;
    memset(&info, 0, sizeof info);
    memset(&words, 0, sizeof words);
    words.info.bpf_fd = (uint32_t)program;
    words.info.info = address(&info);
    words.info.info_len = sizeof info;
    if (call(BPF_OBJ_GET_INFO_BY_FD, &words) == 0) {
        cost->runs += info.run_cnt;
        cost->ns += info.run_time_ns;
        cost->missed += info.recursion_misses;
    }
}

int rts_bpf_time(void)
{
    union bpf_attr words;
    memset(&words, 0, sizeof words);
    words.enable_stats.type = BPF_STATS_RUN_TIME;
    return call(BPF_ENABLE_STATS, &words);
}

bool rts_bpf_find(int map, const void *key, void *value)
{
    union bpf_attr words = of_map(map, key);
    words.value = address(value);
    return call(BPF_MAP_LOOKUP_ELEM, &words) == 0;
}

bool rts_bpf_add(int map, const void *key, const void *value)
{
    union bpf_attr words = of_map(map, key);
    words.value = address(value);
    words.flags = BPF_NOEXIST;
    return call(BPF_MAP_UPDATE_ELEM, &words) == 0;
}

bool rts_bpf_remove(int map, const void *key)
{
    union bpf_attr words = of_map(map, key);
    return call(BPF_MAP_DELETE_ELEM, &words) == 0;
}

bool rts_bpf_next(int map, const void *key, void *next)
{
    union bpf_attr words = of_map(map, key);
    words.next_key = address(next);
    return call(BPF_MAP_GET_NEXT_KEY, &words) == 0;
}
