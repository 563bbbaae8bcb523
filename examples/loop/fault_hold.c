/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel has interrupts off on the loop's CPU: the module probe/hold does it when its parameter hold_ns is written.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fault.h"
#include "settings.h"
#include "threads.h"

#define PARAMETERS "/sys/module/rtstone_hold/parameters/"

enum { HELD_BEGAN = 0, HELD_ENDED };

static int asks = -1;

static int prepare(const settings *from, const char **why)
{
    (void)from;
    *why = "the module rtstone_hold (probe/hold) with its parameter hold_ns";
    asks = open(PARAMETERS "hold_ns", O_WRONLY | O_CLOEXEC);
    return asks < 0 ? errno : 0;
}

static void outside(plant *planted)
{
    char text[64];
    const int length = snprintf(text, sizeof text, "%" PRIu64, planted->drawn_ns);
    plant_begin(planted);
    if (pwrite(asks, text, (size_t)length, 0) != length) {
        return; /* it stays begun: the account shows that it was not carried out */
    }
    plant_end(planted);
    const int answer = open(PARAMETERS "held", O_RDONLY | O_CLOEXEC);
    const ssize_t got = answer < 0 ? -1 : read(answer, text, sizeof text - 1);
    if (got > 0) {
        text[got] = '\0';
        char *end = NULL;
        planted->details[HELD_BEGAN] = strtoull(text, &end, 10);
        planted->details[HELD_ENDED] = strtoull(end, NULL, 10);
    }
    if (answer >= 0) {
        (void)close(answer);
    }
}

extern const fault fault_hold;
const fault fault_hold = {
    .name = "hold",
    .summary = "the module probe/hold has interrupts off (in a guest)",
    .details = {[HELD_BEGAN] = "held_start_ns", [HELD_ENDED] = "held_end_ns"},
    .thread = "hold",
    .above = -1,
    .prepare = prepare,
    .outside = outside,
};
