/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Loads the BPF programs that watch threads from the object file beside the engine, names the threads to them, and tells what they counted.
 */
#include "attach.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../probe/bpf/rtstone_attach.h"
#include "../files.h"
#include "../numbers.h"
#include "../system.h"
#include "object.h"
#include "rtstone/engine.h"

#define OBJECT "rtstone_attach.bpf.o"
#define BTF "/sys/kernel/btf/vmlinux"
#define OWN_SPACE                                                                                                      \
    "pid:[4026531836]"        /* PROC_PID_INIT_INO: the first PID name space, whose numbers the kernel uses itself */
#define LEARNS "attach_timer" /* the program that is needed until it has run on each CPU */
#define SECOND_NS 1000000000u
#define MOST_PROGRAMS 16
#define ENDED 2

static struct {
    rts_attach_complain say;
    uint64_t duration_ns;
    const char *comm;
    bool children;
    bool timed;
    struct bpf_object *object;
    struct bpf_link *links[MOST_PROGRAMS];
    size_t link_count;
    struct bpf_link *learns;
    struct rtstone_attach_thread *threads;
    volatile struct rtstone_attach_shared *shared;
    int slots;
    int names;
} own;

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
    (void)signal;
    stopped = 1;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static int fail(int error, const char *what)
{
    if (error == EPERM || error == EACCES) {
        own.say("threads are watched by BPF programs, which take CAP_BPF and CAP_PERFMON: run it as root, or "
                "sudo setcap cap_sys_nice,cap_ipc_lock,cap_bpf,cap_perfmon+ep on the engine");
    } else {
        own.say("%s: %s", what, strerror(error));
    }
    return RTS_EXIT_FAILED;
}

static int share(void)
{
    struct bpf_map *const data = bpf_object__find_map_by_name(own.object, ".bss");
    struct bpf_map *const threads = bpf_object__find_map_by_name(own.object, "threads");
    struct bpf_map *const slots = bpf_object__find_map_by_name(own.object, "slots");
    struct bpf_map *const names = bpf_object__find_map_by_name(own.object, "names");
    if (data == NULL || threads == NULL || slots == NULL || names == NULL ||
        bpf_map__value_size(data) < sizeof *own.shared || bpf_map__value_size(threads) != sizeof *own.threads) {
        own.say("the object file " OBJECT " is of another version than this engine");
        return RTS_EXIT_FAILED;
    }
    void *const at = mmap(NULL, bpf_map__value_size(data), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(data), 0);
    void *const counts = mmap(NULL, sizeof *own.threads * RTSTONE_ATTACH_THREADS, PROT_READ | PROT_WRITE, MAP_SHARED,
                              bpf_map__fd(threads), 0);
    if (at == MAP_FAILED || counts == MAP_FAILED) {
        return fail(errno, "the BPF programs' data cannot be mapped");
    }
    own.shared = at;
    own.threads = counts;
    own.slots = bpf_map__fd(slots);
    own.names = bpf_map__fd(names);
    return RTS_EXIT_OK;
}

static int load(void)
{
    char path[512];
    char space[64] = "";
    if (access(BTF, R_OK) != 0) {
        own.say("this kernel does not tell its types (no " BTF "): it needs CONFIG_DEBUG_INFO_BTF");
        return RTS_EXIT_FAILED;
    }
    if (readlink("/proc/self/ns/pid", space, sizeof space - 1u) < 0 || strcmp(space, OWN_SPACE) != 0) {
        own.say("processes are numbered otherwise here (a container): attach from the machine itself");
        return RTS_EXIT_FAILED;
    }
    if (!rts_bpf_object_path(OBJECT, path, sizeof path)) {
        own.say("the file " OBJECT " does not lie beside the engine: copy it there");
        return RTS_EXIT_FAILED;
    }
    (void)libbpf_set_print(NULL);
    own.object = bpf_object__open_file(path, NULL);
    if (own.object == NULL) {
        return fail(errno, "the file " OBJECT " cannot be read as BPF programs");
    }
    if (bpf_object__load(own.object) != 0) {
        return fail(errno, "the kernel does not take the BPF programs");
    }
    return share();
}

static int attach(void)
{
    struct bpf_program *program;
    bpf_object__for_each_program(program, own.object)
    {
        struct bpf_link *const link = own.link_count < MOST_PROGRAMS ? bpf_program__attach(program) : NULL;
        if (link == NULL) {
            return fail(errno, "a BPF program cannot be attached");
        }
        if (strcmp(bpf_program__name(program), LEARNS) == 0) {
            own.learns = link;
        } else {
            own.links[own.link_count++] = link;
        }
    }
    return RTS_EXIT_OK;
}

/** Each CPU has told what the program is there for: from now on it would only cost. */
static void detach_what_learns(void)
{
    (void)bpf_link__destroy(own.learns); /* which takes NULL */
    own.learns = NULL;
}

static void detach(void)
{
    detach_what_learns();
    while (own.link_count > 0) {
        (void)bpf_link__destroy(own.links[--own.link_count]);
    }
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

static void watch(uint32_t pid, uint32_t tid, const char comm[RTSTONE_ATTACH_COMM])
{
    uint32_t slot = 0;
    if (bpf_map_lookup_elem(own.slots, &tid, &slot) == 0) {
        return;
    }
    slot = (uint32_t)__atomic_fetch_add(&own.shared->used, 1u, __ATOMIC_SEQ_CST);
    if (slot >= RTSTONE_ATTACH_THREADS) {
        (void)__atomic_fetch_add(&own.shared->refused, 1u, __ATOMIC_SEQ_CST);
        return;
    }
    struct rtstone_attach_thread *const thread = &own.threads[slot];
    thread->tid = tid;
    thread->tgid = pid;
    thread->state = 1;
    memcpy(thread->comm, comm, sizeof thread->comm);
    (void)bpf_map_update_elem(own.slots, &tid, &slot, BPF_NOEXIST);
    volatile rtstone_attach_u64 *const quick = &own.shared->quick[tid % RTSTONE_ATTACH_QUICK];
    rtstone_attach_u64 nobody = 0;
    if (!__atomic_compare_exchange_n(quick, &nobody, slot + 1ull, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        *quick = RTSTONE_ATTACH_SEVERAL;
    }
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%u/task/%u", pid, tid);
    if (access(path, F_OK) != 0 && bpf_map_delete_elem(own.slots, &tid) == 0) {
        thread->state = ENDED; /* it ended before the programs could see that */
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
        /* Looked at again: the number may be another's by now. */
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
        } else if (strcmp(word, "--cost") == 0) {
            own.timed = true;
        } else if (strncmp(word, "--duration-ns=", 14) == 0 && number(word + 14, UINT64_MAX / 2u, &value)) {
            own.duration_ns = value;
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
    return RTS_EXIT_OK;
}

static size_t used(void)
{
    const uint64_t slots = own.shared->used;
    return slots < RTSTONE_ATTACH_THREADS ? (size_t)slots : RTSTONE_ATTACH_THREADS;
}

static uint64_t samples(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < used(); i++) {
        sum += own.threads[i].samples;
    }
    return sum;
}

static bool all_ended(void)
{
    bool ended = !own.shared->renamed;
    for (size_t i = 0; i < used() && ended; i++) {
        ended = own.threads[i].state == ENDED;
    }
    return ended;
}

/** Until the time is over, a signal comes, or no thread is left; a line each second. */
static void wait_out(uint64_t start)
{
    const uint64_t end = start + own.duration_ns;
    uint64_t told = start;
    while (!stopped && !all_ended()) {
        const uint64_t now = now_ns();
        if (now >= end) {
            break;
        }
        const uint64_t slice = end - now < SECOND_NS / 10u ? end - now : SECOND_NS / 10u;
        const struct timespec moment = {.tv_sec = 0, .tv_nsec = (long)slice};
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
        if (own.shared->known >= (uint64_t)libbpf_num_possible_cpus()) {
            detach_what_learns();
        }
        if (now_ns() - told >= SECOND_NS) {
            told += SECOND_NS;
            (void)printf("{\"at\":%" PRIu64 ",\"threads\":%zu,\"samples\":%" PRIu64 "}\n", told - start, used(),
                         samples());
            if (fflush(stdout) != 0) {
                break; /* nobody listens */
            }
        }
    }
}

static void tell_text(const char *key, const char *text)
{
    (void)printf("\"%s\":\"", key);
    for (size_t i = 0; i < RTSTONE_ATTACH_COMM && text[i] != '\0'; i++) {
        (void)printf("%02x", (unsigned)(unsigned char)text[i]); /* a name may hold any byte */
    }
    (void)printf("\"");
}

static void tell_thread(const struct rtstone_attach_thread *thread, size_t slot)
{
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {
        {"slot", slot},
        {"tid", thread->tid},
        {"pid", thread->tgid},
        {"ended", thread->state == ENDED},
        {"pending", thread->pending},
        {"policy", thread->policy},
        {"priority", thread->priority},
        {"cpu", thread->cpu},
        {"wakings", thread->wakings},
        {"samples", thread->samples},
        {"awake", thread->awake},
        {"unseen", thread->unseen},
        {"untold", thread->untold},
        {"preempted", thread->preempted},
        {"by_timer", thread->by_timer},
        {"migrations", thread->migrations},
        {"unnamed", thread->unnamed},
        {"sum", thread->sum},
        {"squares", thread->squares},
        {"squares_high", thread->squares_high},
        {"least", thread->least},
        {"most", thread->most},
        {"overflow", thread->overflow},
        {"faults", thread->faults[1] - thread->faults[0]},
        {"major_faults", thread->major[1] - thread->major[0]},
    };
    (void)printf("{");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        (void)printf("\"%s\":%" PRIu64 ",", counts[i].name, counts[i].value);
    }
    tell_text("comm", thread->comm);
    (void)printf(",\"buckets\":[");
    const char *between = "";
    for (size_t i = 0; i < RTSTONE_ATTACH_BUCKETS; i++) {
        if (thread->buckets[i] != 0) {
            (void)printf("%s[%zu,%u]", between, i, thread->buckets[i]);
            between = ",";
        }
    }
    (void)printf("]}\n");
}

static void tell_names(void)
{
    static const char *const kinds[] = {
        [RTSTONE_ATTACH_WAKER] = "task",
        [RTSTONE_ATTACH_INTERRUPT] = "interrupt",
        [RTSTONE_ATTACH_SOFTIRQ] = "softirq",
        [RTSTONE_ATTACH_HOLDER] = "holder",
    };
    struct rtstone_attach_key key;
    struct rtstone_attach_key *before = NULL;
    struct rtstone_attach_key last;
    while (bpf_map_get_next_key(own.names, before, &key) == 0) {
        struct rtstone_attach_share share = {0, 0, 0};
        if (bpf_map_lookup_elem(own.names, &key, &share) == 0 && key.kind <= RTSTONE_ATTACH_HOLDER) {
            (void)printf("{\"of\":%u,\"kind\":\"%s\",\"number\":%u,\"count\":%llu,\"total\":%llu,\"most\":%llu,",
                         key.thread, kinds[key.kind], key.number, share.count, share.total, share.most);
            tell_text("comm", key.comm);
            (void)printf("}\n");
        }
        last = key;
        before = &last;
    }
}

/** What the programs took: runs, their time if the kernel was asked to time them, and runs that it left out. */
static void tell_end(uint64_t elapsed)
{
    uint64_t runs = 0;
    uint64_t ns = 0;
    uint64_t missed = 0;
    struct bpf_program *program;
    bpf_object__for_each_program(program, own.object)
    {
        struct bpf_prog_info info;
        memset(&info, 0, sizeof info);
        uint32_t bytes = sizeof info;
        if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &bytes) == 0) {
            runs += info.run_cnt;
            ns += info.run_time_ns;
            missed += info.recursion_misses;
        }
    }
    (void)printf("{\"elapsed\":%" PRIu64 ",\"stopped\":%s,\"timed\":%s,\"runs\":%" PRIu64 ",\"run_ns\":%" PRIu64
                 ",\"missed\":%" PRIu64 ",\"refused\":%" PRIu64 "}\n",
                 elapsed, stopped ? "true" : "false", own.timed ? "true" : "false", runs, ns, missed,
                 (uint64_t)own.shared->refused);
}

static int watched(int count, char *const words[], bool named)
{
    own.shared->children = own.children;
    if (own.comm != NULL) {
        for (size_t i = 0; i < RTSTONE_ATTACH_COMM - 1u && own.comm[i] != '\0'; i++) {
            own.shared->comm[i] = own.comm[i];
        }
        own.shared->renamed = !named && getuid() == 0;
    }
    const int code = attach();
    if (code != RTS_EXIT_OK) {
        return code;
    }
    watch_all(count, words);
    if (!named) {
        watch_named();
    }
    if (own.shared->used == 0) {
        if (own.comm != NULL) {
            own.say(getuid() == 0 ? "no thread is called %s" : "no thread of this user's is called %s", own.comm);
        } else {
            own.say("the process ended before it could be watched");
        }
        return RTS_EXIT_USAGE;
    }
    const int timing = own.timed ? bpf_enable_stats(BPF_STATS_RUN_TIME) : -1;
    own.timed = timing >= 0;
    const uint64_t start = now_ns();
    (void)printf("{\"at\":0,\"threads\":%zu,\"samples\":0}\n", used());
    (void)fflush(stdout);
    wait_out(start);
    detach();
    const uint64_t elapsed = now_ns() - start;
    for (size_t i = 0; i < used(); i++) {
        tell_thread(&own.threads[i], i);
    }
    tell_names();
    tell_end(elapsed);
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
    code = load();
    if (code == RTS_EXIT_OK) {
        code = watched(count, words, named);
    }
    detach();
    if (own.object != NULL) {
        bpf_object__close(own.object);
    }
    return code;
}
