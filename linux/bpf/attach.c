/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Gives the BPF programs the threads to watch, and reports their counts.
 */
#include "attach.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../probe/bpf/rtstone_attach.h"
#include "../files.h"
#include "../numbers.h"
#include "../system.h"
#include "attach_lines.h"
#include "attach_programs.h"
#include "calls.h"
#include "rtstone/engine.h"
#include "trails.h"

#define SECOND_NS 1000000000u
#define CHECKPOINT_NS (10ull * SECOND_NS)
#define MOST_THREADS 4096u /* of one command, whose counts are all kept */
#define COPIES 8u          /* attempts at a copy of counts that change meanwhile */

static struct {
    rts_attach_complain say;
    uint64_t duration_ns;
    const char *comm;
    bool children;
    bool wait; /**< threads of the name may come later */
    bool timed;
    uint64_t over_ns;     /**< 0: no trails */
    uint64_t deadline_ns; /**< 0: none */
    uint64_t start;
    struct rts_attach_counts counts;
    bool ended[RTSTONE_ATTACH_THREADS]; /**< it was seen that the slot's thread has ended */
    uint64_t retired_samples;           /**< of threads that have no slot any more */
} own;

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
    (void)signal;
    stopped = 1;
}

static uint64_t now_ns(void)
{
    return rts_system_clock_ns(CLOCK_MONOTONIC);
}

/** What the kernel calls a thread; empty if it is gone. */
static void read_comm(const char *path, char comm[RTSTONE_ATTACH_COMM])
{
    char line[64] = "";
    memset(comm, 0, RTSTONE_ATTACH_COMM);
    if (rts_linux_line(path, line, sizeof line)) {
        memcpy(comm, line, strnlen(line, RTSTONE_ATTACH_COMM - 1u));
    }
}

/** The number of a thread that is watched from now on, as the programs claim it; false if there is no slot. */
static bool claim(rtstone_attach_u64 *number)
{
    *number = __atomic_load_n(&own.counts.shared->used, __ATOMIC_SEQ_CST);
    while (*number < own.counts.shared->granted) {
        if (__atomic_compare_exchange_n(&own.counts.shared->used, number, *number + 1u, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
            return true;
        }
    }
    (void)__atomic_fetch_add(&own.counts.shared->refused, 1u, __ATOMIC_SEQ_CST);
    return false;
}

static void watch(uint32_t pid, uint32_t tid, const char comm[RTSTONE_ATTACH_COMM])
{
    uint32_t slot = 0;
    rtstone_attach_u64 number = 0;
    if (rts_bpf_find(own.counts.slots, &tid, &slot) || !claim(&number)) {
        return;
    }
    slot = own.counts.shared->order[number % RTSTONE_ATTACH_THREADS];
    struct rtstone_attach_thread *const thread = &own.counts.threads[slot];
    thread->tid = tid;
    thread->tgid = pid;
    thread->number = (uint32_t)number;
    memcpy(thread->comm, comm, sizeof thread->comm);
    if (!rts_bpf_add(own.counts.slots, &tid, &slot)) { /* a program was faster: the slot is nobody's */
        thread->tid = 0;
        thread->state = RTSTONE_ATTACH_ENDED;
        return;
    }
    thread->state = 1;
    volatile rtstone_attach_u64 *const quick = &own.counts.shared->quick[tid % RTSTONE_ATTACH_QUICK];
    rtstone_attach_u64 nobody = 0;
    if (!__atomic_compare_exchange_n(quick, &nobody, slot + 1ull, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        *quick = RTSTONE_ATTACH_SEVERAL;
    }
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%u/task/%u", pid, tid);
    if (access(path, F_OK) != 0 && rts_bpf_remove(own.counts.slots, &tid)) {
        thread->state = RTSTONE_ATTACH_ENDED; /* it ended before the programs could see that */
    }
}

/** True if this user may look at the process: it is one of theirs, or they are root. */
static bool may_watch(uint32_t pid, bool *there)
{
    char path[64];
    struct stat facts;
    (void)snprintf(path, sizeof path, "/proc/%u", pid);
    *there = stat(path, &facts) == 0;
    return *there && (getuid() == 0 || facts.st_uid == getuid());
}

/** The threads of a process; those of a name, if one is wanted. */
static void watch_process(uint32_t pid, const char *comm)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%u/task", pid);
    DIR *const tasks = opendir(path);
    const struct dirent *entry;
    while (tasks != NULL && (entry = readdir(tasks)) != NULL) {
        char name[RTSTONE_ATTACH_COMM];
        char file[128];
        if (isdigit((unsigned char)entry->d_name[0]) == 0) {
            continue;
        }
        (void)snprintf(file, sizeof file, "/proc/%u/task/%.20s/comm", pid, entry->d_name);
        read_comm(file, name);
        if (comm == NULL || strncmp(comm, name, RTSTONE_ATTACH_COMM - 1u) == 0) {
            watch(pid, (uint32_t)strtoul(entry->d_name, NULL, 10), name);
        }
    }
    if (tasks != NULL) {
        (void)closedir(tasks);
    }
}

static void watch_named(void)
{
    DIR *const processes = opendir("/proc");
    const struct dirent *entry;
    while (processes != NULL && (entry = readdir(processes)) != NULL) {
        bool there = false;
        const uint32_t pid = (uint32_t)strtoul(entry->d_name, NULL, 10);
        if (pid != 0 && may_watch(pid, &there)) {
            watch_process(pid, own.comm);
        }
    }
    if (processes != NULL) {
        (void)closedir(processes);
    }
}

/** Reads a number of digits alone, from 1. */
static bool number(const char *text, uint64_t most, uint64_t *value)
{
    const char *const end = rts_linux_number(text, 10, value);
    return end != NULL && *end == '\0' && *value > 0 && *value <= most;
}

/** What is wrong with the processes that are named, before anything that takes a privilege. */
static int look_at(const char *word)
{
    uint64_t pid = 0;
    bool there = false;
    if (!number(word + 6, UINT32_MAX, &pid)) {
        own.say("%s is no process's number", word);
        return RTS_EXIT_USAGE;
    }
    if (!may_watch((uint32_t)pid, &there)) {
        own.say(there ? "process %" PRIu64 " belongs to another user" : "there is no process %" PRIu64, pid);
        return RTS_EXIT_USAGE;
    }
    return RTS_EXIT_OK;
}

static void watch_all(int count, char *const words[])
{
    for (int i = 0; i < count; i++) {
        uint64_t pid = 0;
        bool there = false;
        /* Checked again: the number may belong to another process by now. */
        if (strncmp(words[i], "--pid=", 6) == 0 && number(words[i] + 6, UINT32_MAX, &pid) &&
            may_watch((uint32_t)pid, &there)) {
            watch_process((uint32_t)pid, own.comm);
        }
    }
}

static int options(int count, char *const words[], bool *named)
{
    for (int i = 0; i < count; i++) {
        uint64_t value = 0;
        const char *const word = words[i];
        if (strncmp(word, "--pid=", 6) == 0) {
            const int code = look_at(word);
            if (code != RTS_EXIT_OK) {
                return code;
            }
            *named = true;
        } else if (strncmp(word, "--comm=", 7) == 0 && word[7] != '\0') {
            own.comm = word + 7;
        } else if (strcmp(word, "--children") == 0) {
            own.children = true;
        } else if (strcmp(word, "--wait") == 0) {
            own.wait = true;
        } else if (strcmp(word, "--cost") == 0) {
            own.timed = true;
        } else if (strncmp(word, "--duration-ns=", 14) == 0 && number(word + 14, UINT64_MAX / 2u, &value)) {
            own.duration_ns = value;
        } else if (strncmp(word, "--trace-over-ns=", 16) == 0 && number(word + 16, UINT64_MAX / 4u, &value)) {
            own.over_ns = value;
        } else if (strncmp(word, "--deadline-ns=", 14) == 0 && number(word + 14, UINT64_MAX / 4u, &value)) {
            own.deadline_ns = value;
        } else if (strncmp(word, "--with-parent=", 14) == 0 && number(word + 14, INT32_MAX, &value)) {
            const rts_status bound = rts_system_die_with((pid_t)value);
            if (bound != RTS_OK && bound != RTS_UNSUPPORTED) {
                own.say("cannot bind itself to the process that started it");
                return RTS_EXIT_FAILED;
            }
        } else {
            own.say("attach does not take %s", word);
            return RTS_EXIT_USAGE;
        }
    }
    if (!*named && own.comm == NULL) {
        own.say("attach to what? --pid=N or --comm=NAME");
        return RTS_EXIT_USAGE;
    }
    if (own.wait && (*named || getuid() != 0)) {
        own.say(*named ? "--wait is for --comm alone" : "--wait takes root: the threads may become another user's");
        return RTS_EXIT_USAGE;
    }
    return RTS_EXIT_OK;
}

/** How many slots have had a thread: the first ones, since they are given away in order before any is given away again. */
static size_t slots_used(void)
{
    const uint64_t used = __atomic_load_n(&own.counts.shared->used, __ATOMIC_SEQ_CST);
    return used < RTSTONE_ATTACH_THREADS ? (size_t)used : RTSTONE_ATTACH_THREADS;
}

static uint64_t samples(void)
{
    uint64_t sum = own.retired_samples;
    for (size_t i = 0; i < slots_used(); i++) {
        sum += own.counts.threads[i].latency.samples;
    }
    return sum;
}

/** Whether all threads so far have ended, and no other may come. A slot that a program claims meanwhile is in `used` already. */
static bool all_ended(void)
{
    uint64_t ended = own.counts.shared->granted - RTSTONE_ATTACH_THREADS; /* these have no slot any more */
    for (size_t i = 0; i < slots_used(); i++) {
        ended += own.counts.threads[i].state == RTSTONE_ATTACH_ENDED ? 1u : 0u;
    }
    return !own.counts.shared->renamed && ended == __atomic_load_n(&own.counts.shared->used, __ATOMIC_SEQ_CST);
}

/** Wakers and holders of the threads in these slots, which are then removed; NULL: of all, and none is removed. */
static void print_names(const bool slots[RTSTONE_ATTACH_THREADS])
{
    static const char *const kinds[] = {
        [RTSTONE_ATTACH_WAKER] = "task",
        [RTSTONE_ATTACH_INTERRUPT] = "interrupt",
        [RTSTONE_ATTACH_SOFTIRQ] = "softirq",
        [RTSTONE_ATTACH_HOLDER] = "holder",
    };
    struct rtstone_attach_key key;
    struct rtstone_attach_key last;
    bool more = rts_bpf_next(own.counts.names, NULL, &key);
    while (more) {
        struct rtstone_attach_share share = {0, 0, 0};
        const bool of_these = key.thread < RTSTONE_ATTACH_THREADS && (slots == NULL || slots[key.thread]);
        if (of_these && rts_bpf_find(own.counts.names, &key, &share) && key.kind <= RTSTONE_ATTACH_HOLDER) {
            (void)printf("{\"of\":%u,\"kind\":\"%s\",\"number\":%u,\"count\":%llu,\"total\":%llu,\"most\":%llu,",
                         own.counts.threads[key.thread].number, kinds[key.kind], key.number, share.count, share.total,
                         share.most);
            rts_trails_print_name("comm", key.comm, sizeof key.comm);
            (void)printf("}\n");
        }
        last = key;
        more = rts_bpf_next(own.counts.names, &last,
                            &key); /* before the removal, after which the kernel would begin again */
        if (of_these && slots != NULL) {
            (void)rts_bpf_remove(own.counts.names, &last);
        }
    }
}

/** What the programs took: runs, their time if the kernel was asked to time them, and runs that it left out. */
static void tell_end(uint64_t elapsed)
{
    rts_bpf_cost cost = {0, 0, 0};
    rts_attach_add_cost(&cost);
    (void)printf("{\"elapsed\":%" PRIu64 ",\"start\":%" PRIu64 ",\"stopped\":%s,\"timed\":%s,\"runs\":%" PRIu64
                 ",\"run_ns\":%" PRIu64 ",\"missed\":%" PRIu64 ",\"refused\":%" PRIu64 "}\n",
                 elapsed, own.start, stopped ? "true" : "false", own.timed ? "true" : "false", cost.runs, cost.ns,
                 cost.missed, (uint64_t)own.counts.shared->refused);
}

/** The counts of a thread whose programs may run meanwhile: copied again until nothing has changed beside the copying. */
static void copy_thread(size_t slot, struct rtstone_attach_thread *copy)
{
    const volatile struct rtstone_attach_thread *const thread = &own.counts.threads[slot];
    for (unsigned i = 0; i < COPIES; i++) {
        const uint64_t wakings = thread->wakings;
        const uint64_t samples_seen = thread->latency.samples;
        memcpy(copy, &own.counts.threads[slot], sizeof *copy);
        if (thread->wakings == wakings && thread->latency.samples == samples_seen &&
            copy->latency.samples == samples_seen) {
            break;
        }
    }
}

/** The same for its cycles. */
static void copy_cycle(size_t slot, struct rtstone_attach_cycle *copy)
{
    const volatile struct rtstone_attach_cycle *const cycle = &own.counts.cycles[slot];
    for (unsigned i = 0; i < COPIES; i++) {
        const uint64_t cycles = cycle->cycles;
        const uint64_t begun = cycle->begun;
        memcpy(copy, &own.counts.cycles[slot], sizeof *copy);
        if (cycle->cycles == cycles && cycle->begun == begun && copy->begun == begun) {
            break;
        }
    }
}

/** Whether a slot has a thread, which may have ended. */
static bool is_somebodys(size_t slot)
{
    return own.counts.threads[slot].state != 0 && own.counts.threads[slot].tid != 0;
}

/** All counts so far. The last of these blocks is the result; those before it are checkpoints. */
static void tell_counts(uint64_t elapsed)
{
    struct rtstone_attach_thread copy; /* not static: a measured fork would copy its pages */
    for (size_t i = 0; i < slots_used(); i++) {
        if (is_somebodys(i)) {
            copy_thread(i, &copy);
            rts_attach_print_thread(&copy);
        }
    }
    struct rtstone_attach_cycle cycle;
    for (size_t i = 0; i < slots_used() && own.counts.cycles != NULL; i++) {
        if (is_somebodys(i)) {
            copy_cycle(i, &cycle);
            rts_attach_print_cycles(&cycle, own.counts.threads[i].number, own.counts.shared->faults != 0);
        }
    }
    if (own.over_ns != 0) {
        rts_trails_take();
        rts_trails_print();
    }
    print_names(NULL);
    tell_end(elapsed);
}

/** Writes the counts and trails of a thread that has ended. */
static void print_ended(size_t slot)
{
    rts_attach_print_thread(&own.counts.threads[slot]);
    if (own.counts.cycles != NULL) {
        rts_attach_print_cycles(&own.counts.cycles[slot], own.counts.threads[slot].number,
                                own.counts.shared->faults != 0);
    }
    if (own.over_ns != 0) {
        rts_trails_retire(slot);
    }
}

/** Gives a slot to a thread that is yet to come. */
static void free_slot(uint32_t slot)
{
    struct rtstone_attach_thread *const thread = &own.counts.threads[slot];
    own.retired_samples += thread->latency.samples;
    rtstone_attach_u64 quick = slot + 1ull; /* of several threads it stays */
    (void)__atomic_compare_exchange_n(&own.counts.shared->quick[thread->tid % RTSTONE_ATTACH_QUICK], &quick, 0, false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    memset(thread, 0, sizeof *thread);
    if (own.counts.cycles != NULL) {
        memset(&own.counts.cycles[slot], 0, sizeof own.counts.cycles[slot]);
    }
    own.counts.shared->order[own.counts.shared->granted % RTSTONE_ATTACH_THREADS] = slot;
    (void)__atomic_fetch_add(&own.counts.shared->granted, 1u, __ATOMIC_SEQ_CST);
}

/**
 * Writes the lines of the threads that had ended when this was called before, and frees their slots. No program works on such a slot any more: each
 * ends within the kernel's grace period, for which membarrier(2) waits (where it cannot, with nohz_full, the 0.1 s between two calls must do).
 */
static void retire_ended(void)
{
    const size_t slots = slots_used();
    bool going[RTSTONE_ATTACH_THREADS] = {false};
    uint64_t count = 0;
    for (uint32_t slot = 0; slot < slots; slot++) {
        going[slot] = own.ended[slot] && own.counts.shared->granted + count < MOST_THREADS;
        count += going[slot] ? 1u : 0u;
        own.ended[slot] = own.counts.threads[slot].state == RTSTONE_ATTACH_ENDED && !going[slot];
    }
    if (count == 0) {
        return;
    }
    (void)syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
    if (own.over_ns != 0) {
        rts_trails_take();
    }
    for (uint32_t slot = 0; slot < slots; slot++) {
        if (going[slot] && is_somebodys(slot)) {
            print_ended(slot);
        }
    }
    print_names(going);
    (void)printf("{\"retired\":%" PRIu64 "}\n", count);
    for (uint32_t slot = 0; slot < slots; slot++) {
        if (going[slot]) {
            free_slot(slot);
        }
    }
}

/** Until the time is over, a signal comes, or no thread is left; a line each second, and all counts now and then. */
static void wait_out(uint64_t start)
{
    const uint64_t end = start + own.duration_ns;
    uint64_t told = start;
    uint64_t saved = 0;
    while (!stopped && !all_ended()) {
        const uint64_t now = now_ns();
        if (now >= end) {
            break;
        }
        const uint64_t slice = end - now < SECOND_NS / 10u ? end - now : SECOND_NS / 10u;
        const struct timespec moment = {.tv_sec = 0, .tv_nsec = (long)slice};
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
        if (own.over_ns != 0) {
            rts_trails_take();
        }
        retire_ended();
        if (own.counts.shared->known >= (uint64_t)sysconf(_SC_NPROCESSORS_CONF)) {
            rts_attach_timers_known();
        }
        if (own.counts.shared->signals != 0) {
            rts_attach_to_timers();
        }
        if (now_ns() - told >= SECOND_NS) {
            told += SECOND_NS;
            (void)printf("{\"at\":%" PRIu64 ",\"threads\":%" PRIu64 ",\"samples\":%" PRIu64 "}\n", told - start,
                         (uint64_t)own.counts.shared->used, samples());
            /* Each ten seconds at first; later a tenth of the time so far may be lost. */
            if (told - start - saved >= CHECKPOINT_NS && told - start - saved >= saved / 10u) {
                saved = told - start;
                tell_counts(now_ns() - start);
            }
            if (fflush(stdout) != 0) {
                break; /* nobody listens */
            }
        }
    }
}

static int watched(int count, char *const words[], bool named)
{
    own.counts.shared->children = own.children;
    own.counts.shared->over = own.over_ns;
    own.counts.shared->deadline = own.deadline_ns;
    own.counts.shared->granted = RTSTONE_ATTACH_THREADS;
    for (uint32_t slot = 0; slot < RTSTONE_ATTACH_THREADS; slot++) {
        own.counts.shared->order[slot] = slot;
    }
    if (own.comm != NULL) {
        for (size_t i = 0; i < RTSTONE_ATTACH_COMM - 1u && own.comm[i] != '\0'; i++) {
            own.counts.shared->comm[i] = own.comm[i];
        }
        own.counts.shared->renamed = !named && getuid() == 0;
    }
    const int code = rts_attach_start();
    if (code != RTS_EXIT_OK) {
        return code;
    }
    watch_all(count, words);
    if (!named) {
        watch_named();
    }
    if (own.counts.shared->used == 0 && !own.wait) {
        if (own.comm != NULL) {
            own.say(getuid() == 0 ? "no thread is called %s" : "no thread of this user's is called %s", own.comm);
        } else {
            own.say("the process ended before it could be watched");
        }
        return RTS_EXIT_USAGE;
    }
    const int timing = own.timed ? rts_bpf_time() : -1;
    own.timed = timing >= 0;
    own.start = now_ns();
    (void)printf("{\"at\":0,\"threads\":%" PRIu64 ",\"samples\":0}\n", (uint64_t)own.counts.shared->used);
    (void)fflush(stdout);
    wait_out(own.start);
    rts_attach_stop();
    const uint64_t elapsed = now_ns() - own.start;
    tell_counts(elapsed);
    if (timing >= 0) {
        (void)close(timing);
    }
    return fflush(stdout) == 0 ? RTS_EXIT_OK : RTS_EXIT_FAILED;
}

int rts_attach_main(int count, char *const words[], rts_attach_complain say)
{
    bool named = false;
    own.say = say;
    own.duration_ns = 10ull * SECOND_NS;
    int code = options(count, words, &named);
    if (code != RTS_EXIT_OK) {
        return code;
    }
    const struct sigaction on = {.sa_handler = stop};
    (void)sigaction(SIGINT, &on, NULL);
    (void)sigaction(SIGTERM, &on, NULL);
    code = rts_attach_load(own.over_ns != 0 || own.deadline_ns != 0, own.over_ns != 0, say, &own.counts);
    if (code == RTS_EXIT_OK) {
        code = watched(count, words, named);
    }
    rts_attach_stop();
    rts_trails_close();
    rts_attach_unload();
    return code;
}
