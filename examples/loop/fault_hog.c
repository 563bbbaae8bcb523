/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A thread of a higher priority than the loop's computes.
 */
#include "fault.h"
#include "threads.h"

static void outside(plant *planted)
{
    plant_begin(planted);
    spin_until(planted->start_ns + planted->drawn_ns);
    plant_end(planted);
}

extern const fault fault_hog_above;
const fault fault_hog_above = {
    .name = "hog-above",
    .summary = "a thread of a higher priority computes",
    .thread = "hog-above",
    .above = 1,
    .priority_min = 1,
    .outside = outside,
};
