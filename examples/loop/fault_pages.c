/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The cycle touches memory that was never touched: a page fault for each page. Another thread gives the pages back to the
 * kernel afterwards.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fault.h"
#include "settings.h"
#include "threads.h"

/* Pages are touched until the drawn length is over; no machine touches one in less. */
enum { NS_PER_PAGE = 100, PAGES = 0, FAULTS };
#define BYTES_AT_MOST ((size_t)1 << 30)

static unsigned char *region;
static size_t bytes, page;
static atomic_bool fresh;
static helper reclaimer;

static void reclaim(plant *planted)
{
    (void)planted;
    (void)madvise(region, bytes, MADV_DONTNEED);
    atomic_store(&fresh, true);
}

static int prepare(const settings *from, const char **why)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    const uint64_t pages = from->length_max_ns / NS_PER_PAGE + 1;
    bytes = pages < BYTES_AT_MOST / page ? (size_t)pages * page : BYTES_AT_MOST;
    *why = "memory to touch";
    region = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED) {
        return errno;
    }
    (void)madvise(region, bytes, MADV_NOHUGEPAGE);
    (void)munlock(region, bytes); /* also where it was locked with the rest of the program */
    atomic_store(&fresh, true);
    *why = "the thread reclaim";
    return helper_start(&reclaimer, "reclaim", settings_below(from), from->cpu, reclaim);
}

static bool inside(plant *planted)
{
    if (!atomic_load(&fresh)) {
        return false;
    }
    struct rusage before, after;
    (void)getrusage(RUSAGE_THREAD, &before);
    plant_begin(planted);
    const uint64_t until = planted->start_ns + planted->drawn_ns;
    size_t at = 0;
    while (at < bytes && now_ns() < until) {
        *(volatile unsigned char *)(region + at) = 1;
        at += page;
    }
    plant_end(planted);
    (void)getrusage(RUSAGE_THREAD, &after);
    planted->details[PAGES] = at / page;
    planted->details[FAULTS] = (uint64_t)(after.ru_minflt - before.ru_minflt);
    atomic_store(&fresh, false);
    helper_ask(&reclaimer, planted);
    return true;
}

static void finish(void)
{
    helper_end(&reclaimer);
}

extern const fault fault_page_faults;
const fault fault_page_faults = {
    .name = "page-faults",
    .summary = "the cycle touches memory that was never touched",
    .details = {[PAGES] = "pages", [FAULTS] = "minor_faults"},
    .prepare = prepare,
    .inside = inside,
    .finish = finish,
};
