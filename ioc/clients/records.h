/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The text of the load's database.
 */
#ifndef RTSTONE_IOC_RECORDS_H
#define RTSTONE_IOC_RECORDS_H

#include <stdio.h>

/** Writes `records` records, or with `pairs` as many pairs, as an EPICS database. Ends early when `to` has an error. */
void load_records_write(FILE *to, const char *prefix, long records, int pairs);

#endif
