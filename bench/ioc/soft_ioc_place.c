/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stands in for what softIoc looks for its definitions with beside itself; it is told on the command line where they are. As softIoc asks for it
 * before all else, it is also where it gets what its command line cannot say and our IOC has.
 */
#include <stddef.h>

#include <asLib.h>
#include <callback.h>

char *epicsGetExecDir(void);

char *epicsGetExecDir(void)
{
    /* Room for a confirmation of each of the load's puts: one that finds the queue full is lost. */
    (void)callbackSetQueueSize(7000);
    /* Access rules, if there are any, go by addresses. */
    asCheckClientIP = 1;
    return NULL;
}
