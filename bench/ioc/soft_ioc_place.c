/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Replaces the function by which softIoc looks for its definitions next to its program; their place is on its command line instead. softIoc
 * calls it before all else. So it also makes the settings that our IOC has and softIoc's command line does not offer.
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
