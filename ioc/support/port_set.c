/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A set of raw samples: made, filled, copied.
 */
#include <stdlib.h>
#include <string.h>

#include "port_set.h"

int port_set_create(port_set *set, epicsInt32 room)
{
    memset(set, 0, sizeof *set);
    for (unsigned i = 0; i < PARAMETERS; i++) {
        set->value[i] = calloc((size_t)room, sizeof *set->value[i]);
        set->burst[i] = calloc((size_t)room, sizeof *set->burst[i]);
        if (set->value[i] == NULL || set->burst[i] == NULL) {
            return 0;
        }
    }
    set->has = calloc((size_t)room, sizeof *set->has);
    return set->has != NULL;
}

void port_set_clear(port_set *set)
{
    set->samples = 0;
    memset(set->count, 0, sizeof set->count);
    memset(set->saturated, 0, sizeof set->saturated);
}

void port_set_add(port_set *set, const delayMeasure *sample, unsigned burst)
{
    const long delays[PARAMETERS] = {sample->interruptLatency, sample->topToBottom, sample->bottomToUserInterrupt,
                                     sample->contextSwitch, sample->totalResponse};
    unsigned has = 0;
    for (unsigned i = 0; i < PARAMETERS; i++) {
        if (delays[i] != DELAY_NOT_MEASURED) {
            int saturated = 0;
            set->burst[i][set->count[i]] = (epicsUInt8)burst;
            set->value[i][set->count[i]++] = statistics_clip(delays[i], &saturated);
            set->saturated[i] += saturated;
            has |= 1u << i;
        }
    }
    set->has[set->samples++] = (epicsUInt8)has;
}

void port_set_copy(port_set *to, const port_set *from)
{
    to->samples = from->samples;
    memcpy(to->count, from->count, sizeof to->count);
    memcpy(to->saturated, from->saturated, sizeof to->saturated);
    memcpy(to->has, from->has, (size_t)from->samples * sizeof *to->has);
    for (unsigned i = 0; i < PARAMETERS; i++) {
        memcpy(to->value[i], from->value[i], (size_t)from->count[i] * sizeof *to->value[i]);
    }
}
