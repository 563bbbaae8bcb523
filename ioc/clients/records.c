/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "records.h"

#include "load_names.h"

static const char head[] =
    "# Made by rtstone-createdb: each record is written and monitored; in pairs a longout is written and processes a calc that is monitored.\n";

static void put(FILE *to, const char *prefix, long i, int pairs)
{
    (void)fprintf(to,
                  "record(longout, \"" LOAD_PUT
                  "\") {\n    field(DESC, \"Written by the load\")\n    field(DOL, \"0\")\n    field(PINI, \"YES\")\n",
                  prefix, i);
    if (pairs) {
        (void)fprintf(to, "    field(FLNK, \"" LOAD_MONITOR "\")\n", prefix, i);
    }
    (void)fputs("}\n", to);
}

static void monitor(FILE *to, const char *prefix, long i)
{
    (void)fprintf(to,
                  "record(calc, \"" LOAD_MONITOR
                  "\") {\n    field(DESC, \"Monitored by the load\")\n    field(ASG, \"READONLY\")\n    "
                  "field(INPA, \"" LOAD_PUT "\")\n    field(CALC, \"A\")\n    field(PREC, \"0\")\n}\n",
                  prefix, i, prefix, i);
}

void load_records_write(FILE *to, const char *prefix, long records, int pairs)
{
    (void)fputs(head, to);
    for (long i = 0; i < records && !ferror(to); i++) {
        put(to, prefix, i, pairs);
        if (pairs) {
            monitor(to, prefix, i);
        }
    }
}
