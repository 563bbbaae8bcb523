/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stands in for what softIoc looks for its definitions with beside itself; it is told on the command line where they are.
 */
#include <stddef.h>

char *epicsGetExecDir(void);

char *epicsGetExecDir(void)
{
    return NULL;
}
