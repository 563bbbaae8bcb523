/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * rtstone-createdb N [PREFIX] [--pairs]: writes the database that caput and camonitor load the IOC with, N records or pairs of them, on standard output.
 */
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "load_names.h"
#include "records.h"

int main(int count, char *words[])
{
    long records = 0;
    const int pairs = count > 2 && strcmp(words[count - 1], "--pairs") == 0;
    count -= pairs;
    if (count < 2 || count > 3 || strcmp(words[1], "-h") == 0 || strcmp(words[1], "--help") == 0) {
        (void)fprintf(stderr,
                      "usage: rtstone-createdb N [PREFIX] [--pairs]   N: 1 to %ld records, or pairs; PREFIX: %s\n",
                      LOAD_RECORDS_MAX, LOAD_PREFIX);
        return count >= 2 && words[1][0] == '-' ? 0 : 2;
    }
    if (!argument_long("rtstone-createdb", "N", words[1], 1, LOAD_RECORDS_MAX, &records)) {
        return 2;
    }
    const char *const prefix = count == 3 ? words[2] : LOAD_PREFIX;
    if (!argument_prefix("rtstone-createdb", prefix)) {
        return 2;
    }
    load_records_write(stdout, prefix, records, pairs);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        (void)fprintf(stderr, "rtstone-createdb: the database cannot be written\n");
        return 3;
    }
    return 0;
}
