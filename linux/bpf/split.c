/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Loads the BPF programs of probe/bpf/ from the object file that lies beside the engine, and reads what they stamp.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../probe/bpf/rtstone_split.h"
#include "../files.h"
#include "object.h"
#include "split.h"
#include "symbols.h"

#define OBJECT "rtstone_split.bpf.o"
#define BTF "/sys/kernel/btf/vmlinux"
#define NOBODY_IS_DUE UINT64_MAX

static const char *const program_names[] = {"on_expiry",     "on_waking",  "on_switch",   "on_interrupt",
                                            "off_interrupt", "on_softirq", "off_softirq", "off_expiry"};
enum { PROGRAMS = sizeof program_names / sizeof program_names[0], OF_TRAIL = 3 /* from here on: only for a trail */ };

static struct {
    bool tried;
    rts_status status;
    char why[240];
    struct bpf_object *object;
    struct bpf_program *program[PROGRAMS];
    struct bpf_link *link[PROGRAMS];
    struct ring_buffer *ring;
    volatile struct rtstone_split_shared *shared;
    rts_split_join *taker; /**< during rts_linux_split_take */
    int timing;            /**< the kernel times programs as long as this is open; 0: it does not */
} split;

static rts_status refuse(rts_status status, const char *why)
{
    (void)snprintf(split.why, sizeof split.why, "%s", why);
    return status;
}

/** What the user can do about an error of the kernel or of libbpf. */
static rts_status refuse_for(int error, const char *what)
{
    if (error == EPERM || error == EACCES) {
        return refuse(
            RTS_DENIED,
            "the kernel's boundaries are seen by BPF programs, which take CAP_BPF and CAP_PERFMON: run it as root, or "
            "sudo setcap cap_sys_nice,cap_ipc_lock,cap_bpf,cap_perfmon+ep on the engine");
    }
    (void)snprintf(split.why, sizeof split.why, "%s: %s", what, strerror(error));
    return RTS_UNSUPPORTED;
}

static int on_event(void *unused, void *data, size_t bytes)
{
    (void)unused;
    struct rtstone_split_event event;
    if (bytes < sizeof event) {
        return -EINVAL;
    }
    memcpy(&event, data, sizeof event);
    const rts_split_event ours = {event.sequence, event.due, event.handler, event.waking, event.switched};
    rts_split_join_offer(split.taker, &ours);
    return 0;
}

/** Maps the programs' global data, and the ring. */
static rts_status share(void)
{
    struct bpf_map *const data = bpf_object__find_map_by_name(split.object, ".bss");
    struct bpf_map *const events = bpf_object__find_map_by_name(split.object, "events");
    if (data == NULL || events == NULL || bpf_map__value_size(data) < sizeof *split.shared) {
        return refuse(RTS_UNSUPPORTED, "the object file " OBJECT " is of another version than this engine");
    }
    void *const at = mmap(NULL, bpf_map__value_size(data), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(data), 0);
    if (at == MAP_FAILED) {
        return refuse_for(errno, "the BPF programs' data cannot be mapped");
    }
    split.shared = at;
    split.ring = ring_buffer__new(bpf_map__fd(events), on_event, NULL, NULL);
    if (split.ring == NULL) {
        return refuse_for(errno, "the BPF programs' ring cannot be mapped");
    }
    rts_linux_split_disarm();
    return RTS_OK;
}

static rts_status load(void)
{
    char path[512];
    if (rts_linux_probe_used()) {
        return refuse(RTS_UNSUPPORTED,
                      "the probe module answers the measured interrupt: interrupt-response has its boundaries");
    }
    if (access(BTF, R_OK) != 0) {
        return refuse(RTS_UNSUPPORTED,
                      "this kernel does not tell its types (no " BTF "): it needs CONFIG_DEBUG_INFO_BTF");
    }
    if (!rts_bpf_object_path(OBJECT, path, sizeof path)) {
        return refuse(RTS_UNSUPPORTED, "the file " OBJECT " does not lie beside the engine: copy it there");
    }
    (void)libbpf_set_print(NULL);
    split.object = bpf_object__open_file(path, NULL);
    if (split.object == NULL) {
        return refuse_for(errno, "the file " OBJECT " cannot be read as BPF programs");
    }
    if (bpf_object__load(split.object) != 0) {
        return refuse_for(errno, "the kernel does not take the BPF programs");
    }
    for (size_t i = 0; i < PROGRAMS; i++) {
        split.program[i] = bpf_object__find_program_by_name(split.object, program_names[i]);
        if (split.program[i] == NULL) {
            return refuse(RTS_UNSUPPORTED, "the object file " OBJECT " is of another version than this engine");
        }
    }
    return share();
}

rts_status rts_system_split(void)
{
    if (!split.tried) {
        split.tried = true;
        split.status = load();
        if (split.status != RTS_OK && split.object != NULL) {
            bpf_object__close(split.object);
            split.object = NULL;
        }
    }
    return split.status;
}

const char *rts_system_split_why_not(void)
{
    return rts_system_split() == RTS_OK ? NULL : split.why;
}

rts_status rts_linux_split_watch(void)
{
    struct stat space;
    if (stat("/proc/self/ns/pid", &space) != 0) {
        return rts_system_status(errno);
    }
    split.shared->thread = 0; /* nobody is learnt while the rest changes */
    split.shared->task = 0;
    split.shared->device = space.st_dev;
    split.shared->inode = space.st_ino;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    split.shared->thread = (uint32_t)syscall(SYS_gettid);
    return RTS_OK;
}

bool rts_linux_split_watched(void)
{
    return split.shared->task != 0;
}

rts_status rts_linux_split_attach(bool on)
{
    rts_status status = RTS_OK;
    for (size_t i = 0; i < PROGRAMS; i++) {
        const bool wanted = i < OF_TRAIL || split.shared->trailed != 0;
        if (on && wanted && split.link[i] == NULL && status == RTS_OK) {
            split.link[i] = bpf_program__attach(split.program[i]);
            status = split.link[i] == NULL ? rts_system_status(errno) : RTS_OK;
        } else if (!on && split.link[i] != NULL) {
            (void)bpf_link__destroy(split.link[i]);
            split.link[i] = NULL;
        }
    }
    return status;
}

void rts_linux_split_arm(rts_ticks due)
{
    split.shared->due = due;
}

void rts_linux_split_disarm(void)
{
    split.shared->due = NOBODY_IS_DUE;
}

bool rts_linux_split_take(rts_split_join *join)
{
    split.taker = join;
    return ring_buffer__consume(split.ring) >= 0;
}

rts_split_event rts_linux_split_flight(void)
{
    const volatile struct rtstone_split_event *const flight = &split.shared->flight;
    const rts_split_event now = {flight->sequence, flight->due, flight->handler, flight->waking, flight->switched};
    return now;
}

void rts_linux_split_trail(int32_t cpu, rts_ticks over)
{
    split.shared->trailed = cpu < 0 ? 0 : (uint32_t)cpu + 1u;
    split.shared->over = over;
    if (cpu < 0) {
        rts_symbols_free();
    } else {
        (void)rts_symbols_load(); /* without names there are no stacks */
    }
}

static void copy_name(char to[17], const volatile char from[16])
{
    for (size_t i = 0; i < 16u; i++) {
        to[i] = from[i];
    }
    to[16] = '\0';
}

/** The kernel's priority as POSIX numbers it: 1 to 99, above them a deadline's, 0 none. */
static int32_t priority_of(int prio)
{
    enum { REAL_TIME_PRIORITIES = 100 };
    return prio < 0 ? REAL_TIME_PRIORITIES : prio < REAL_TIME_PRIORITIES ? REAL_TIME_PRIORITIES - 1 - prio : 0;
}

static void describe(const volatile struct rtstone_split_step *step, rts_event *told)
{
    static const char *const words[] = {
        [RTSTONE_SPLIT_SWITCH] = "switch",
        [RTSTONE_SPLIT_INTERRUPT] = "interrupt",
        [RTSTONE_SPLIT_INTERRUPT_END] = "interrupt-end",
        [RTSTONE_SPLIT_SOFTIRQ] = "softirq",
        [RTSTONE_SPLIT_SOFTIRQ_END] = "softirq-end",
        [RTSTONE_SPLIT_TIMER] = "timer",
        [RTSTONE_SPLIT_TIMER_END] = "timer-end",
        [RTSTONE_SPLIT_WAKING] = "waking",
    };
    const uint32_t kind = step->kind;
    const char *const word = kind != 0 && kind < sizeof words / sizeof words[0] ? words[kind] : "unknown";
    char name[17];
    copy_name(name, step->name);
    copy_name(told->task, step->task);
    told->pid = (int32_t)step->pid;
    told->priority = priority_of(step->prio);
    told->at = step->at;
    told->value = 0;
    told->ticks = 0;
    if (kind == RTSTONE_SPLIT_SWITCH) {
        (void)snprintf(told->kind, sizeof told->kind, "%s %s", word, told->task);
    } else if (kind >= RTSTONE_SPLIT_INTERRUPT && kind <= RTSTONE_SPLIT_SOFTIRQ_END) {
        (void)snprintf(told->kind, sizeof told->kind, "%s %u%s%s", word, step->what, name[0] == '\0' ? "" : " ", name);
    } else {
        (void)snprintf(told->kind, sizeof told->kind, "%s", word);
    }
}

void rts_linux_split_name(rts_event *event)
{
    if (split.shared->task != 0) {
        (void)prctl(PR_GET_NAME, event->task);
        event->pid = (int32_t)split.shared->pid;
        event->priority = priority_of(split.shared->prio);
    }
}

size_t rts_linux_split_steps(rts_ticks due, rts_ticks until, rts_event *steps, size_t room)
{
    /* Newer steps may be written meanwhile, over the oldest: half of the trail is never looked at. */
    const uint64_t end = split.shared->steps;
    uint64_t first = end > RTSTONE_SPLIT_TRAIL / 2 ? end - RTSTONE_SPLIT_TRAIL / 2 : 0;
    uint64_t last = end;
    while (last > first && split.shared->trail[(last - 1u) % RTSTONE_SPLIT_TRAIL].at > until) {
        last--;
    }
    uint64_t wanted = last; /* the first after the due time */
    while (wanted > first && split.shared->trail[(wanted - 1u) % RTSTONE_SPLIT_TRAIL].at > due) {
        wanted--;
    }
    wanted = wanted > first + RTS_SPLIT_BEFORE ? wanted - RTS_SPLIT_BEFORE : first;
    first = last - wanted > room ? last - room : wanted;
    for (uint64_t i = first; i < last; i++) {
        describe(&split.shared->trail[i % RTSTONE_SPLIT_TRAIL], &steps[i - first]);
    }
    return (size_t)(last - first);
}

/** How the names of functions begin in which an interrupt enters the kernel: x86-64, 64-bit Arm, RISC-V, 32-bit Arm. */
static const char *const entries[] = {"asm_",      "common_interrupt", "el0t_", "el1h_", "handle_exception",
                                      "__irq_svc", "__irq_usr",        NULL};

/** How those begin that every wait ends in: a tracepoint's program, the scheduler, and what lets interrupts in again. */
static const char *const passing[] = {"bpf_prog_",
                                      "bpf_trace_run",
                                      "__bpf_trace_",
                                      "__traceiter_",
                                      "__schedule",
                                      "schedule",
                                      "preempt_schedule",
                                      "arm64_preempt_schedule",
                                      "__cond_resched",
                                      "dynamic_",
                                      "irqentry_",
                                      "raw_irqentry_",
                                      "exit_to_user_mode",
                                      "sysvec_",
                                      "__sysvec_",
                                      "do_notify_resume",
                                      "el0_",
                                      "el1_",
                                      "_raw_",
                                      NULL};

static bool begins(const char *name, const char *const *with)
{
    while (*with != NULL && strncmp(name, *with, strlen(*with)) != 0) {
        with++;
    }
    return *with != NULL;
}

/** The stack's calls outside of an interrupt's entry if there must be one, and of what every wait ends in; without any, one event without a name. */
static size_t tell_stack(const volatile struct rtstone_split_stack *stack, rts_ticks due, const char *word,
                         bool entered, rts_event *calls)
{
    bool inside = entered;
    size_t count = 0;
    if (stack->due != due || stack->depth == 0 || rts_symbols_at(stack->frame[0]) == NULL) {
        return 0;
    }
    for (uint32_t i = 0; i < stack->depth && i < RTSTONE_SPLIT_FRAMES && count < RTS_SPLIT_CALLS; i++) {
        const char *const name = rts_symbols_at(stack->frame[i]);
        const bool entry = begins(name, entries);
        if (!inside && !entry && (count > 0 || !begins(name, passing))) {
            calls[count] = (rts_event){.at = stack->at};
            (void)snprintf(calls[count].kind, sizeof calls[count].kind, "%s %s", word, name);
            count++;
        }
        inside = inside && !entry;
    }
    if (count == 0 && !inside) {
        calls[0] = (rts_event){.at = stack->at};
        (void)snprintf(calls[0].kind, sizeof calls[0].kind, "%s", word);
        count = 1;
    }
    return count;
}

size_t rts_linux_split_stacks(rts_ticks due, rts_event calls[2 * RTS_SPLIT_CALLS])
{
    const size_t count = tell_stack(&split.shared->expired, due, "at-timer", true, calls);
    return count + tell_stack(&split.shared->chosen, due, "at-switch", false, calls + count);
}

static uint64_t sum(bool misses, bool runs)
{
    uint64_t total = 0;
    for (size_t i = 0; i < PROGRAMS; i++) {
        struct bpf_prog_info info;
        memset(&info, 0, sizeof info);
        uint32_t bytes = sizeof info;
        if (bpf_obj_get_info_by_fd(bpf_program__fd(split.program[i]), &info, &bytes) == 0) {
            total += misses ? info.recursion_misses : runs ? info.run_cnt : info.run_time_ns;
        }
    }
    return total;
}

uint64_t rts_linux_split_missed(void)
{
    return sum(true, false);
}

rts_status rts_linux_split_time(bool on)
{
    if (!on && split.timing > 0) {
        (void)close(split.timing);
        split.timing = 0;
    } else if (on && split.timing == 0) {
        const int descriptor = bpf_enable_stats(BPF_STATS_RUN_TIME);
        if (descriptor < 0) {
            return rts_system_status(errno);
        }
        split.timing = descriptor;
    }
    return RTS_OK;
}

rts_split_cost rts_linux_split_cost(void)
{
    const rts_split_cost now = {sum(false, true), sum(false, false)};
    return now;
}
