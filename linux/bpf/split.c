/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Loads the BPF programs of probe/bpf/ that the engine carries, and reads what they stamp.
 */
#include <errno.h>
#include <linux/types.h>
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
#include "calls.h"
#include "ring.h"
#include "split.h"
#include "symbols.h"

#include <rtstone_split.skel.h> /* generated; it takes the types above */

#define NOBODY_IS_DUE UINT64_MAX

enum {
    PROGRAMS = 8,
    OF_TRAIL = 3,   /* from here on: only for a trail */
    OF_LINE = 3,    /* from here on: those of an interrupt's handler … */
    OF_LINE_END = 5 /* … up to before this one */
};

static struct {
    bool tried;
    rts_status status;
    char why[240];
    struct rts_split_bpf *loaded;
    int program[PROGRAMS];
    int link[PROGRAMS]; /**< 0: the program is not attached */
    rts_ring ring;
    volatile struct rtstone_split_shared *shared;
    int timing; /**< the kernel times programs while this is open; 0: it does not */
} split;

static rts_status refuse(const char *why)
{
    (void)snprintf(split.why, sizeof split.why, "%s", why);
    return RTS_UNSUPPORTED;
}

static rts_status refuse_for(int error)
{
    rts_bpf_why_not(error, split.why, sizeof split.why);
    return error == EPERM ? RTS_DENIED : RTS_UNSUPPORTED;
}

static bool on_event(void *taker, const void *record, size_t bytes)
{
    struct rtstone_split_event event;
    if (bytes < sizeof event) {
        return false;
    }
    memcpy(&event, record, sizeof event);
    const rts_split_event ours = {event.sequence, event.due, event.handler, event.waking, event.switched};
    rts_split_join_offer(taker, &ours);
    return true;
}

static rts_status load(void)
{
    if (rts_linux_probe_used()) {
        return refuse("the probe module answers the measured interrupt: interrupt-response has its boundaries");
    }
    if (access(RTS_BPF_TYPES, R_OK) != 0) {
        return refuse("this kernel shows no types of its own (no " RTS_BPF_TYPES "): it needs CONFIG_DEBUG_INFO_BTF");
    }
    split.loaded = rts_split_bpf__open();
    if (split.loaded == NULL) {
        return refuse_for(ENOMEM);
    }
    uint32_t tries = 0;
    int error;
    do {
        error = -rts_split_bpf__load(split.loaded);
    } while (rts_bpf_load_again(error, &tries));
    if (error != 0) {
        return refuse_for(error);
    }
    const int programs[PROGRAMS] = {
        split.loaded->progs.on_expiry.prog_fd,     split.loaded->progs.on_waking.prog_fd,
        split.loaded->progs.on_switch.prog_fd,     split.loaded->progs.on_interrupt.prog_fd,
        split.loaded->progs.off_interrupt.prog_fd, split.loaded->progs.on_softirq.prog_fd,
        split.loaded->progs.off_softirq.prog_fd,   split.loaded->progs.off_expiry.prog_fd,
    };
    memcpy(split.program, programs, sizeof split.program);
    split.shared = &split.loaded->bss->split;
    if (!rts_ring_open(&split.ring, split.loaded->maps.events.map_fd, RTSTONE_SPLIT_RING_BYTES)) {
        return refuse_for(errno);
    }
    rts_linux_split_disarm();
    return RTS_OK;
}

rts_status rts_system_split(void)
{
    if (!split.tried) {
        split.tried = true;
        split.status = load();
        if (split.status != RTS_OK) {
            rts_split_bpf__destroy(split.loaded); /* which takes NULL */
            split.loaded = NULL;
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

static bool is_wanted(size_t program)
{
    return split.shared->line != 0 ? program >= OF_LINE && program < OF_LINE_END
                                   : program < OF_TRAIL || split.shared->trailed != 0;
}

rts_status rts_linux_split_attach(bool on)
{
    rts_status status = RTS_OK;
    for (size_t i = 0; i < PROGRAMS; i++) {
        if (on && is_wanted(i) && split.link[i] == 0 && status == RTS_OK) {
            const int link = rts_bpf_attach(split.program[i]);
            status = link < 0 ? rts_system_status(errno) : RTS_OK;
            split.link[i] = link < 0 ? 0 : link;
        } else if (!on && split.link[i] != 0) {
            (void)close(split.link[i]);
            split.link[i] = 0;
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
    return rts_ring_read(&split.ring, on_event, join);
}

rts_split_event rts_linux_split_flight(void)
{
    const volatile struct rtstone_split_event *const flight = &split.shared->flight;
    const rts_split_event now = {flight->sequence, flight->due, flight->handler, flight->waking, flight->switched};
    return now;
}

void rts_linux_split_line(int32_t number, const char *driver)
{
    const size_t length = strnlen(driver, RTSTONE_SPLIT_DRIVER - 1u);
    for (size_t i = 0; i < RTSTONE_SPLIT_DRIVER; i++) {
        split.shared->driver[i] = 0;
        if (i < length) {
            split.shared->driver[i] = driver[i];
        }
    }
    split.shared->line = number < 0 ? 0 : (uint32_t)number + 1u;
}

uint64_t rts_linux_split_entries(void)
{
    return split.shared->entries;
}

rts_ticks rts_linux_split_entered(uint64_t number)
{
    return split.shared->entered[number % RTSTONE_SPLIT_ENTRIES];
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

/** What a thread is that gave up the CPU in a state of the kernel. */
static const char *left_as(uint32_t state)
{
    return state == RTSTONE_SPLIT_STATE_RUNNABLE        ? "runnable"
           : (state & RTSTONE_SPLIT_STATE_STOPPED) != 0 ? "stopped"
                                                        : "asleep";
}

const char *rts_linux_split_held_by(uint32_t by)
{
    return by == RTSTONE_SPLIT_BY_REAL_TIME_BUDGET  ? "real-time-budget"
           : by == RTSTONE_SPLIT_BY_QUOTA           ? "quota"
           : by == RTSTONE_SPLIT_BY_FAIR_SERVER     ? "fair-server"
           : by == RTSTONE_SPLIT_BY_DEADLINE_BUDGET ? "deadline-budget"
                                                    : "";
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
        [RTSTONE_SPLIT_WOKEN] = "woken",
        [RTSTONE_SPLIT_STOLEN] = "stolen",
    };
    const uint32_t kind = step->kind;
    const bool known = kind != 0 && kind < sizeof words / sizeof words[0] && words[kind] != NULL;
    const char *const word = known ? words[kind] : "unknown";
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
    } else if (kind == RTSTONE_SPLIT_LEFT) {
        (void)snprintf(told->kind, sizeof told->kind, "left %s", left_as(step->what));
    } else if (kind == RTSTONE_SPLIT_HELD) {
        (void)snprintf(told->kind, sizeof told->kind, "held %s", rts_linux_split_held_by(step->what));
    } else if (kind == RTSTONE_SPLIT_STOLEN) {
        (void)snprintf(told->kind, sizeof told->kind, "%s", word);
        told->ticks = step->what;
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

/**
 * How the thread gave up the CPU last before a step of the trail; NULL where it had the CPU then. It may lie far behind: it comes first, and the CPU's
 * steps in between are left out. The newest is kept apart, however old it is, but the thread may have given up the CPU since.
 */
static const volatile struct rtstone_split_step *left_before(uint64_t first, uint64_t lowest)
{
    const uint32_t thread = split.shared->pid;
    for (uint64_t i = first; i > lowest; i--) {
        const volatile struct rtstone_split_step *const step = &split.shared->trail[(i - 1u) % RTSTONE_SPLIT_TRAIL];
        if (step->kind == RTSTONE_SPLIT_LEFT) {
            return step;
        }
        if (step->kind == RTSTONE_SPLIT_SWITCH && step->pid == thread) {
            return NULL;
        }
    }
    const volatile struct rtstone_split_step *const newest = &split.shared->left;
    return newest->at != 0 && newest->at < split.shared->trail[lowest % RTSTONE_SPLIT_TRAIL].at ? newest : NULL;
}

size_t rts_linux_split_steps(rts_ticks due, rts_ticks until, rts_event *steps, size_t room)
{
    /* Newer steps may overwrite the oldest meanwhile, so half of the trail is never read. */
    const uint64_t end = split.shared->steps;
    const uint64_t lowest = end > RTSTONE_SPLIT_TRAIL / 2 ? end - RTSTONE_SPLIT_TRAIL / 2 : 0;
    uint64_t first = lowest;
    uint64_t last = end;
    while (last > first && split.shared->trail[(last - 1u) % RTSTONE_SPLIT_TRAIL].at > until) {
        last--;
    }
    uint64_t wanted = last; /* the first after the due time */
    while (wanted > first && split.shared->trail[(wanted - 1u) % RTSTONE_SPLIT_TRAIL].at > due) {
        wanted--;
    }
    wanted = wanted > first + RTS_SPLIT_BEFORE ? wanted - RTS_SPLIT_BEFORE : first;
    first = last - wanted > room - 1u ? last - (room - 1u) : wanted;
    size_t count = 0;
    const volatile struct rtstone_split_step *const left = first < last ? left_before(first, lowest) : NULL;
    if (left != NULL) {
        describe(left, &steps[count++]);
    }
    for (uint64_t i = first; i < last; i++) {
        describe(&split.shared->trail[i % RTSTONE_SPLIT_TRAIL], &steps[count++]);
    }
    return count;
}

/** The stack's calls as events; without any, one event without a name. */
static size_t tell_stack(const volatile struct rtstone_split_stack *stack, rts_ticks due, const char *word,
                         bool entered, rts_event *calls)
{
    const char *names[RTS_SPLIT_CALLS] = {""};
    uint64_t frames[RTSTONE_SPLIT_FRAMES];
    size_t count = 0;
    for (size_t i = 0; i < RTSTONE_SPLIT_FRAMES; i++) {
        frames[i] = stack->frame[i];
    }
    if (stack->due != due || !rts_symbols_calls(frames, stack->depth, entered, names, &count)) {
        return 0;
    }
    for (size_t i = 0; i < count || i == 0; i++) {
        calls[i] = (rts_event){.at = stack->at};
        (void)snprintf(calls[i].kind, sizeof calls[i].kind, "%s%s%s", word, count == 0 ? "" : " ", names[i]);
    }
    return count == 0 ? 1 : count;
}

size_t rts_linux_split_stacks(rts_ticks due, rts_event calls[2 * RTS_SPLIT_CALLS])
{
    const size_t count = tell_stack(&split.shared->expired, due, "at-timer", true, calls);
    return count + tell_stack(&split.shared->chosen, due, "at-switch", false, calls + count);
}

static rts_bpf_cost cost(void)
{
    rts_bpf_cost total = {0, 0, 0};
    for (size_t i = 0; i < PROGRAMS; i++) {
        rts_bpf_add_cost(split.program[i], &total);
    }
    return total;
}

uint64_t rts_linux_split_missed(void)
{
    return cost().missed;
}

rts_status rts_linux_split_time(bool on)
{
    if (!on && split.timing > 0) {
        (void)close(split.timing);
        split.timing = 0;
    } else if (on && split.timing == 0) {
        const int descriptor = rts_bpf_time();
        if (descriptor < 0) {
            return rts_system_status(errno);
        }
        split.timing = descriptor;
    }
    return RTS_OK;
}

rts_split_cost rts_linux_split_cost(void)
{
    const rts_bpf_cost total = cost();
    const rts_split_cost now = {total.runs, total.ns};
    return now;
}
