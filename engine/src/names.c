/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Names of measurements: a measurement without choices has its own, one with choices has one for each, its own and the choice's with a dash between.
 */
#include "bytes.h"

#include "rtstone/measurement.h"
#include "rtstone/text.h"

/** Behind the measurement's own name and a dash: where the name of its choice begins; NULL: the name does not begin so. */
static const char *rest_of(const char *name, const rts_measurement *measurement)
{
    const size_t length = strlen(measurement->name);
    return strlen(name) > length && memcmp(name, measurement->name, length) == 0 && name[length] == '-'
               ? name + length + 1u
               : NULL;
}

const rts_measurement *rts_measurement_find(const char *name, uint32_t *choice)
{
    uint32_t found = 0;
    choice = choice != NULL ? choice : &found;
    *choice = 0;
    for (size_t i = 0; i < rts_measurement_count; i++) {
        const rts_measurement *const measurement = rts_measurements[i];
        if (measurement->choice_count == 0u && rts_text_equal(measurement->name, name)) {
            return measurement;
        }
        const char *const rest = measurement->choice_count != 0u ? rest_of(name, measurement) : NULL;
        for (uint32_t c = 0; rest != NULL && c < measurement->choice_count; c++) {
            if (rts_text_equal(measurement->choices[c].name, rest)) {
                *choice = c;
                return measurement;
            }
        }
    }
    return NULL;
}

uint32_t rts_measurement_names(const rts_measurement *measurement)
{
    return measurement->choice_count != 0u ? measurement->choice_count : 1u;
}

/** Adds a text to a name as far as there is room, and returns its length then. */
static size_t add(char name[RTS_MEASUREMENT_NAME_BYTES], size_t length, const char *text)
{
    while (*text != '\0' && length + 1u < RTS_MEASUREMENT_NAME_BYTES) {
        name[length++] = *text++;
    }
    name[length] = '\0';
    return length;
}

void rts_measurement_name(const rts_measurement *measurement, uint32_t choice, char name[RTS_MEASUREMENT_NAME_BYTES])
{
    size_t length = add(name, 0, measurement->name);
    if (measurement->choice_count != 0u) {
        length = add(name, length, "-");
        (void)add(name, length, measurement->choices[choice].name);
    }
}
