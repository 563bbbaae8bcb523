/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * All delays of all ports in lines of JSON: for whoever started the IOC, at its end or when the shell is asked.
 */
#include "figures.h"

#include <stdio.h>

#include "port.h"

static const char *const names[PARAMETERS] = {"interruptLatency", "topToBottom", "bottomToUserInterrupt",
                                              "contextSwitch", "totalResponse"};

/** A delay that was never measured has a count of 0 and no times. */
static void tell_delay(const char *name, const statistics *all, int is_first)
{
    statistics_result result;
    statistics_result_of(all, &result);
    (void)printf("%s\"%s\":{\"count\":%llu,", is_first ? "" : ",", name, (unsigned long long)result.count);
    if (result.count > 0) {
        (void)printf("\"min_ns\":%ld,\"median_ns\":%ld,\"max_ns\":%ld,", (long)result.minimum, (long)result.median,
                     (long)result.maximum);
    } else {
        (void)printf("\"min_ns\":null,\"median_ns\":null,\"max_ns\":null,");
    }
    (void)printf(
        "\"over_limit\":%llu,\"saturated\":%llu,\"in_bursts\":%llu,\"over_limit_in_bursts\":%llu,\"histogram\":[",
        (unsigned long long)result.over, (unsigned long long)result.saturated, (unsigned long long)result.burst_count,
        (unsigned long long)result.burst_over);
    for (unsigned i = 0; i < STATISTICS_BINS; i++) {
        (void)printf("%s%lld", i == 0 ? "" : ",", (long long)result.histogram[i]);
    }
    (void)printf("]}");
}

static void tell_port(port *own)
{
    epicsMutexMustLock(own->lock);
    (void)printf("rtstone-figures: {\"port\":\"%s\",\"sampler\":\"%s\",\"samples\":%llu,\"sets\":%llu,\"limit_ns\":%ld,"
                 "\"edges_ns\":[",
                 own->name, own->sampler, (unsigned long long)own->count, (unsigned long long)own->sets,
                 (long)own->limit_ns);
    for (unsigned i = 0; i < STATISTICS_BINS; i++) {
        (void)printf("%s%ld", i == 0 ? "" : ",", (long)statistics_edge(i));
    }
    (void)printf("],\"delays\":{");
    for (unsigned i = 0; i < PARAMETERS; i++) {
        tell_delay(names[i], own->statistics[i], i == 0);
    }
    (void)printf("}}\n");
    epicsMutexUnlock(own->lock);
}

void figures_tell(void *unused)
{
    (void)unused;
    for (port *own = port_next(NULL); own != NULL; own = port_next(own)) {
        tell_port(own);
    }
    (void)fflush(stdout);
}
