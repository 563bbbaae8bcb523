/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The load's records, read by the IOC in whose image the engine is. (The headers of the database and of its clients cannot be in one file.)
 */
#include <stdio.h>
#include <stdlib.h>

#include <dbAccess.h>

#include "../clients/load_names.h"
#include "place_rtems.h"

static const epicsInt32 **values;
static size_t found;

bool ioc_records_find(uint32_t records)
{
    values = calloc(records, sizeof *values);
    for (found = 0; values != NULL && found < records; found++) {
        char name[LOAD_PREFIX_SIZE + 32];
        DBADDR at;
        (void)snprintf(name, sizeof name, LOAD_PUT, LOAD_PREFIX, (long)found);
        if (dbNameToAddr(name, &at) != 0 || at.field_type != DBF_LONG) {
            return false;
        }
        values[found] = at.pfield;
    }
    return values != NULL;
}

uint64_t ioc_records_sum(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < found; i++) {
        sum += (uint32_t)*values[i];
    }
    return sum;
}
