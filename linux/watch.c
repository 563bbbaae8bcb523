/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Linux's counts while an item is measured, which can explain a bad sample: interrupts and stolen time of the measured CPU, context switches, page
 * faults of the engine, the time for which its control group and those above it were stopped, system management interrupts if the CPU's register is
 * readable, the frequency at the end. Also the run's clock compared with the one that is never adjusted.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "files.h"
#include "groups.h"

#define UNKNOWN UINT64_MAX
#define STEAL_FIELD 8u    /* of /proc/stat's line of a CPU, its name being 0 */
#define SMI_REGISTER 0x34 /* MSR_SMI_COUNT: Intel SDM vol. 4, table 2-2 */
/* More than this between the two clocks, beside a part in a thousand, and the item's figures are not to be believed. */
#define CLOCKS_APART_NS 1000000u
#define CLOCK_ATTEMPTS 8u

typedef struct counts {
    uint64_t interrupts;
    uint64_t switches;
    uint64_t steal_ticks;
    uint64_t minor_faults;
    uint64_t major_faults;
    uint64_t smi;
} counts;

/** The run's clock and the reference, read together. */
typedef struct clocks {
    rts_ticks run_ticks;
    uint64_t reference_ns;
    rts_ticks width; /**< between the run's clock before and after the reference */
} clocks;

/* Groups above the tenth from the process are not read: container engines make two to six. */
#define GROUPS 10u
#define RESOURCES 3u

/** What is counted of the process's control group and those above it. */
typedef struct group_counts {
    char folder[RTS_GROUP_PATH]; /**< whose counts these are: a process may be moved */
    size_t levels;
    rts_group_stops stops[GROUPS];
    uint64_t waited_ns[RESOURCES];
} group_counts;

static const char *const resources[RESOURCES] = {"cpu", "memory", "io"};
static counts before;
static group_counts groups_before;
static clocks clocks_before;
static int32_t watched_cpu;

static uint64_t number_in_field(const char *line, uint32_t field)
{
    char *end = NULL;
    for (uint32_t i = 0; i < field; i++) {
        line += strcspn(line, " ");
        line += strspn(line, " ");
    }
    const uint64_t number = strtoull(line, &end, 10);
    return end == line ? UNKNOWN : number;
}

/* Steal of the CPU, and the system's context switches. */
static void read_stat(counts *now)
{
    char line[512];
    char name[16];
    now->steal_ticks = UNKNOWN;
    now->switches = UNKNOWN;
    FILE *file = fopen("/proc/stat", "re");
    if (file == NULL) {
        return;
    }
    (void)snprintf(name, sizeof name, "cpu%" PRId32 " ", watched_cpu);
    while (now->switches == UNKNOWN && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) {
            now->steal_ticks = number_in_field(line, STEAL_FIELD);
        } else if (strncmp(line, "ctxt ", 5) == 0) {
            now->switches = number_in_field(line, 1);
        }
    }
    (void)fclose(file);
}

/* Which column of /proc/interrupts is the CPU's: CPUs that are off line have none. 0: none. */
static uint32_t column_of(const char *heading)
{
    char name[16];
    uint32_t column = 1;
    (void)snprintf(name, sizeof name, "CPU%" PRId32, watched_cpu);
    for (const char *word = heading + strspn(heading, " "); *word != '\0' && *word != '\n'; column++) {
        const size_t length = strcspn(word, " \n");
        if (length == strlen(name) && strncmp(word, name, length) == 0) {
            return column;
        }
        word += length;
        word += strspn(word, " ");
    }
    return 0;
}

/* All interrupts that the CPU took, whatever their source. */
static uint64_t read_interrupts(void)
{
    char *line = NULL;
    size_t room = 0;
    uint64_t sum = UNKNOWN;
    FILE *file = fopen("/proc/interrupts", "re");
    if (file == NULL) {
        return UNKNOWN;
    }
    const uint32_t column = getline(&line, &room, file) > 0 ? column_of(line) : 0;
    while (column != 0u && getline(&line, &room, file) > 0) {
        /* "ERR:" and its like are the whole system's and have one column, which is not the first CPU's. */
        const char *first = line + strspn(line, " ");
        const bool of_cpus = strncmp(first, "ERR:", 4) != 0 && strncmp(first, "MIS:", 4) != 0;
        const uint64_t number = of_cpus ? number_in_field(first, column) : UNKNOWN;
        if (number != UNKNOWN) {
            sum = (sum == UNKNOWN ? 0 : sum) + number;
        }
    }
    free(line);
    (void)fclose(file);
    return sum;
}

static uint64_t read_smi(void)
{
    char path[40];
    uint64_t value = 0;
    (void)snprintf(path, sizeof path, "/dev/cpu/%" PRId32 "/msr", watched_cpu);
    const int device = open(path, O_RDONLY | O_CLOEXEC);
    if (device < 0) {
        return UNKNOWN;
    }
    const ssize_t got = pread(device, &value, sizeof value, SMI_REGISTER);
    (void)close(device);
    return got == (ssize_t)sizeof value ? value & 0xffffffffu : UNKNOWN;
}

/* Both clocks at once: the narrowest of a few attempts, since this thread may lose the CPU between two readings. */
static clocks read_clocks(void)
{
    clocks best = {.width = UINT64_MAX};
    const char *name = NULL;
    for (uint32_t i = 0; i < CLOCK_ATTEMPTS; i++) {
        struct timespec reference;
        const rts_ticks from = rts_clock_read();
        (void)clock_gettime(rts_system_reference_clock(&name), &reference);
        const rts_ticks width = rts_clock_read() - from;
        if (width < best.width) {
            best.width = width;
            best.run_ticks = from + width / 2u;
            best.reference_ns = (uint64_t)reference.tv_sec * RTS_NS_PER_S + (uint64_t)reference.tv_nsec;
        }
    }
    return best;
}

uint64_t rts_linux_steal(void)
{
    counts now;
    read_stat(&now);
    return now.steal_ticks == UNKNOWN ? 0 : now.steal_ticks * (RTS_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
}

static counts read_all(void)
{
    counts now = {.interrupts = read_interrupts(), .smi = read_smi()};
    struct rusage own;
    read_stat(&now);
    (void)getrusage(RUSAGE_SELF, &own);
    now.minor_faults = (uint64_t)own.ru_minflt;
    now.major_faults = (uint64_t)own.ru_majflt;
    return now;
}

static void read_groups(group_counts *now)
{
    rts_group group;
    now->levels = 0;
    now->folder[0] = '\0';
    if (rts_group_find(&group, "", "cpu")) {
        (void)snprintf(now->folder, sizeof now->folder, "%s", group.folder);
        do {
            (void)rts_group_stops_read(&group, &now->stops[now->levels++]);
        } while (now->levels < GROUPS && rts_group_up(&group));
    }
    for (size_t i = 0; i < RESOURCES; i++) {
        if (!rts_group_pressure("", resources[i], &now->waited_ns[i])) {
            now->waited_ns[i] = UNKNOWN;
        }
    }
}

void rts_port_watch_begin(int32_t cpu)
{
    watched_cpu = cpu;
    read_groups(&groups_before);
    before = read_all();
    clocks_before = read_clocks();
}

static void tell_count(rts_watch_fn tell, void *arg, const char *name, const char *unit, uint64_t from, uint64_t to)
{
    if (from != UNKNOWN && to != UNKNOWN) {
        tell(arg, name, unit, to - from, UINT64_MAX);
    }
}

static uint64_t ns_of(rts_ticks ticks, uint64_t hz)
{
    return ticks / hz * RTS_NS_PER_S + ticks % hz * RTS_NS_PER_S / hz;
}

static void tell_clocks(rts_watch_fn tell, void *arg, clocks now)
{
    rts_clock_info info;
    if (rts_port_clock_info(&info) != RTS_OK) {
        return;
    }
    const uint64_t run_ns = ns_of(now.run_ticks - clocks_before.run_ticks, info.hz);
    const uint64_t reference_ns = now.reference_ns - clocks_before.reference_ns;
    const uint64_t apart = run_ns > reference_ns ? run_ns - reference_ns : reference_ns - run_ns;
    const uint64_t unknown_ns = ns_of(now.width + clocks_before.width, info.hz);
    tell(arg, "system-elapsed", "ns", reference_ns, UINT64_MAX);
    tell(arg, "system-clocks-apart", "ns", apart, CLOCKS_APART_NS + unknown_ns + reference_ns / 1000u);
}

static void tell_limit(rts_watch_fn tell, void *arg, const char *name, const char *unit, uint64_t limit)
{
    if (limit != RTS_GROUP_UNLIMITED) {
        tell(arg, name, unit, limit, UINT64_MAX);
    }
}

/** How many CPUs a list of the kernel names ("0,2-5"). */
static uint64_t cpus_in(const char *list)
{
    uint64_t count = 0;
    for (char *end = NULL; *list != '\0'; list = *end == '\0' ? end : end + 1) {
        const unsigned long first = strtoul(list, &end, 10);
        if (end == list) {
            return 0;
        }
        const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        count += last - first + 1u;
    }
    return count;
}

/** Of the groups: the one that was stopped longest, the least of each limit, and how long threads waited. */
static void tell_groups(rts_watch_fn tell, void *arg)
{
    static group_counts now;
    static const char *const names[RESOURCES] = {"system-pressure-cpu", "system-pressure-memory", "system-pressure-io"};
    char list[1024];
    rts_group_stops most = {0};
    read_groups(&now);
    const bool same = now.levels == groups_before.levels && strcmp(now.folder, groups_before.folder) == 0;
    for (size_t i = 0; same && i < now.levels; i++) {
        const rts_group_stops *const from = &groups_before.stops[i];
        if (now.stops[i].periods - from->periods != 0 &&
            now.stops[i].stopped_ns - from->stopped_ns >= most.stopped_ns) {
            most.periods = now.stops[i].periods - from->periods;
            most.stopped = now.stops[i].stopped - from->stopped;
            most.stopped_ns = now.stops[i].stopped_ns - from->stopped_ns;
        }
    }
    if (most.periods != 0) {
        tell(arg, "system-quota-periods", "periods", most.periods, UINT64_MAX);
        tell(arg, "system-throttled-periods", "periods", most.stopped, UINT64_MAX);
        tell(arg, "system-throttled", "ns", most.stopped_ns, UINT64_MAX);
    }
    tell_limit(tell, arg, "system-quota", "millicpus", rts_group_least("", "cpu", rts_group_quota));
    tell_limit(tell, arg, "system-realtime-budget", "millicpus", rts_group_least("", "cpu", rts_group_realtime));
    tell_limit(tell, arg, "system-memory-limit", "bytes", rts_group_least("", "memory", rts_group_memory));
    if (rts_group_cpus("", list, sizeof list)) {
        tell_limit(tell, arg, "system-cpuset", "cpus", cpus_in(list));
    }
    for (size_t i = 0; i < RESOURCES; i++) {
        tell_count(tell, arg, names[i], "ns", groups_before.waited_ns[i], now.waited_ns[i]);
    }
}

void rts_port_watch_end(rts_watch_fn tell, void *arg)
{
    const clocks clocks_now = read_clocks();
    const counts now = read_all();
    const long hz = sysconf(_SC_CLK_TCK);
    char path[80];
    int64_t khz = 0;
    tell_clocks(tell, arg, clocks_now);
    tell_count(tell, arg, "system-interrupts", "interrupts", before.interrupts, now.interrupts);
    tell_count(tell, arg, "system-context-switches", "switches", before.switches, now.switches);
    if (hz > 0 && before.steal_ticks != UNKNOWN && now.steal_ticks != UNKNOWN) {
        tell(arg, "system-steal", "ns", (now.steal_ticks - before.steal_ticks) * (RTS_NS_PER_S / (uint64_t)hz),
             UINT64_MAX);
    }
    tell_count(tell, arg, "system-page-faults", "faults", before.minor_faults, now.minor_faults);
    tell_count(tell, arg, "system-major-faults", "faults", before.major_faults, now.major_faults);
    tell_count(tell, arg, "system-smi", "interrupts", before.smi, now.smi);
    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%" PRId32 "/cpufreq/scaling_cur_freq", watched_cpu);
    if (rts_linux_integer(path, &khz) && khz > 0) {
        tell(arg, "system-frequency", "khz", (uint64_t)khz, UINT64_MAX);
    }
    tell_groups(tell, arg);
}
