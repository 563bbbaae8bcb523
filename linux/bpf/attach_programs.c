/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "attach_programs.h"

#include <errno.h>
#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "page_faults.h"
#include "rtstone/engine.h"
#include "trails.h"

#include <rtstone_attach.skel.h> /* generated; it takes the types above */

#define OWN_SPACE                                                                                                      \
    "pid:[4026531836]" /* PROC_PID_INIT_INO: the first PID name space, whose numbers the kernel uses itself */
#define PROGRAMS (sizeof((struct rts_attach_bpf *)0)->progs / sizeof(struct bpf_prog_desc))

static struct {
    rts_attach_complain say;
    bool cycles; /**< they are counted too */
    bool trails; /**< they are recorded */
    struct rts_attach_bpf *loaded;
    int links[PROGRAMS]; /**< 0: the program is not attached */
} own;

static int fail(int error)
{
    char why[240];
    rts_bpf_why_not(error, why, sizeof why);
    own.say("threads cannot be watched: %s", why);
    return RTS_EXIT_FAILED;
}

/** A map's elements in memory, or MAP_FAILED and errno. */
static void *elements(int map, size_t bytes)
{
    return mmap(NULL, bytes * RTSTONE_ATTACH_THREADS, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
}

/** The cycles and the ring of the trails, as far as they are wanted. Returns an error of errno.h, or 0. */
static int map_cycles(struct rts_attach_counts *counts)
{
    if (own.cycles) {
        void *const cycles = elements(own.loaded->maps.cycles.map_fd, sizeof *counts->cycles);
        if (cycles == MAP_FAILED) {
            return errno;
        }
        counts->cycles = cycles;
    }
    return own.trails &&
                   !rts_trails_open(own.loaded->maps.trails.map_fd, own.loaded->maps.rings.max_entries, counts->threads)
               ? errno
               : 0;
}

int rts_attach_load(bool cycles, bool trails, rts_attach_complain say, struct rts_attach_counts *counts)
{
    char space[64] = "";
    own.say = say;
    own.cycles = cycles;
    own.trails = trails;
    if (access(RTS_BPF_TYPES, R_OK) != 0) {
        own.say("this kernel shows no types of its own (no " RTS_BPF_TYPES "): it needs CONFIG_DEBUG_INFO_BTF");
        return RTS_EXIT_FAILED;
    }
    if (readlink("/proc/self/ns/pid", space, sizeof space - 1u) < 0 || strcmp(space, OWN_SPACE) != 0) {
        own.say(
            "processes have other numbers here (a container): start it with --pid host, or attach from the machine itself");
        return RTS_EXIT_FAILED;
    }
    own.loaded = rts_attach_bpf__open();
    if (own.loaded == NULL) {
        return fail(ENOMEM);
    }
    if (own.cycles) {
        own.loaded->maps.cycles.max_entries = RTSTONE_ATTACH_THREADS;
    }
    if (own.trails) {
        own.loaded->maps.owns.max_entries = RTSTONE_ATTACH_THREADS;
        own.loaded->maps.rings.max_entries = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
        own.loaded->maps.trails.max_entries = RTSTONE_ATTACH_TRAILS_BYTES;
    }
    uint32_t tries = 0;
    int error;
    do {
        error = -rts_attach_bpf__load(own.loaded);
    } while (rts_bpf_load_again(error, &tries));
    if (error != 0) {
        return fail(error);
    }
    void *const threads = elements(own.loaded->maps.threads.map_fd, sizeof *counts->threads);
    if (threads == MAP_FAILED) {
        return fail(errno);
    }
    counts->threads = threads;
    error = map_cycles(counts);
    if (error != 0) {
        return fail(error);
    }
    counts->shared = &own.loaded->bss->attached;
    counts->slots = own.loaded->maps.slots.map_fd;
    counts->names = own.loaded->maps.names.map_fd;
    return RTS_EXIT_OK;
}

/** The program with this number: the skeleton names each by itself. */
static int program(size_t number)
{
    const struct bpf_prog_desc *const all = (const void *)&own.loaded->progs;
    return all[number].prog_fd;
}

/** Whether a program is of use: of each of those that count there are two, and cycles and trails take more. Those of page faults belong to no tracepoint. */
static bool wanted(int descriptor)
{
    const int plain[] = {own.loaded->progs.attach_waking.prog_fd, own.loaded->progs.attach_switch.prog_fd};
    const int cycles[] = {own.loaded->progs.cycle_waking.prog_fd, own.loaded->progs.cycle_switch.prog_fd,
                          own.loaded->progs.cycle_cancel.prog_fd};
    const int trail[] = {own.loaded->progs.trail_interrupt.prog_fd, own.loaded->progs.trail_after_interrupt.prog_fd,
                         own.loaded->progs.trail_softirq.prog_fd,   own.loaded->progs.trail_after_softirq.prog_fd,
                         own.loaded->progs.trail_timer.prog_fd,     own.loaded->progs.trail_after_timer.prog_fd,
                         own.loaded->progs.trail_migration.prog_fd};
    bool needed = descriptor != own.loaded->progs.trail_fault.prog_fd &&
                  descriptor != own.loaded->progs.trail_after_fault.prog_fd &&
                  descriptor != own.loaded->progs.cycle_expire.prog_fd; /* attached later */
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        needed = needed && (!own.cycles || descriptor != plain[i]);
    }
    for (size_t i = 0; i < sizeof cycles / sizeof cycles[0]; i++) {
        needed = needed && (own.cycles || descriptor != cycles[i]);
    }
    for (size_t i = 0; i < sizeof trail / sizeof trail[0]; i++) {
        needed = needed && (own.trails || descriptor != trail[i]);
    }
    return needed;
}

int rts_attach_start(void)
{
    for (size_t i = 0; i < PROGRAMS; i++) {
        if (!wanted(program(i))) {
            continue;
        }
        const int link = rts_bpf_attach(program(i));
        if (link < 0) {
            return fail(errno);
        }
        own.links[i] = link;
    }
    own.loaded->bss->attached.faults = own.trails && rts_page_faults_attach(own.loaded->progs.trail_fault.prog_fd,
                                                                            own.loaded->progs.trail_after_fault.prog_fd,
                                                                            own.loaded->maps.rings.max_entries);
    return RTS_EXIT_OK;
}

static void detach_one(size_t number)
{
    if (own.links[number] != 0) {
        (void)close(own.links[number]);
        own.links[number] = 0;
    }
}

void rts_attach_timers_known(void)
{
    for (size_t i = 0; i < PROGRAMS; i++) {
        if (program(i) == own.loaded->progs.attach_timer.prog_fd) {
            detach_one(i);
        }
    }
}

void rts_attach_to_timers(void)
{
    for (size_t i = 0; i < PROGRAMS; i++) {
        if (program(i) == own.loaded->progs.cycle_expire.prog_fd && own.links[i] == 0) {
            const int link = rts_bpf_attach(program(i));
            own.links[i] = link < 0 ? 0 : link;
        }
    }
}

void rts_attach_add_cost(rts_bpf_cost *cost)
{
    for (size_t i = 0; i < PROGRAMS; i++) {
        rts_bpf_add_cost(program(i), cost);
    }
}

void rts_attach_stop(void)
{
    for (size_t i = 0; i < PROGRAMS; i++) {
        detach_one(i);
    }
    rts_page_faults_detach(); /* last: a late cycle's page faults are known until its end */
}

void rts_attach_unload(void)
{
    rts_attach_bpf__destroy(own.loaded); /* which takes NULL */
    own.loaded = NULL;
}
