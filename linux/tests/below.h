/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Files of /proc and /sys below a folder of the test's own.
 */
#ifndef RTSTONE_LINUX_TESTS_BELOW_H
#define RTSTONE_LINUX_TESTS_BELOW_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../engine/tests/checks.h"

static char root[64];

/** Writes a file below the root, with the folders that it lies in. */
static void put(const char *path, const char *text)
{
    char name[512];
    (void)snprintf(name, sizeof name, "%s%s", root, path);
    for (char *slash = strchr(name + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        assert_true(mkdir(name, 0700) == 0 || errno == EEXIST);
        *slash = '/';
    }
    FILE *const file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
    (void)state;
    (void)strcpy(root, "/tmp/rtstone-below-XXXXXX");
    return mkdtemp(root) == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[96];
    (void)snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command); /* a folder of the test's own */
}

#endif
