/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Takes the kernel's command line apart for the guest's first program.
 */
#include "command_line.h"

#include <stddef.h>
#include <string.h>

#define PREFIX "rtstone."

/** What follows `name` in `word`, and is not empty; NULL if that is not how it begins. */
static char *value_of(char *word, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && word[length] != '\0' ? word + length : NULL;
}

/** "<name>" or "<name>:<parameters>", commas standing for spaces, which would end the word. */
static bool add_module(guest_options *options, char *spec)
{
    char *parameters = strchr(spec, ':');
    if (options->modules == GUEST_MODULES || parameters == spec) {
        return false;
    }
    if (parameters != NULL) {
        *parameters++ = '\0';
        for (char *comma = strchr(parameters, ','); comma != NULL; comma = strchr(comma, ',')) {
            *comma = ' ';
        }
    }
    options->module[options->modules++] =
        (guest_module){.name = spec, .parameters = parameters == NULL ? "" : parameters};
    return true;
}

/** "<device>,<driver>" */
static bool set_driver(guest_options *options, char *pair)
{
    char *const comma = strchr(pair, ',');
    if (comma == NULL || comma == pair || comma[1] == '\0') {
        return false;
    }
    *comma = '\0';
    options->driven = pair;
    options->driver = comma + 1;
    return true;
}

/** `rtstone.network=` is the engine's, which reads it for its load of that name. */
static bool take(guest_options *options, char *word)
{
    char *value = value_of(word, PREFIX "module=");
    if (value != NULL) {
        return add_module(options, value);
    }
    if ((value = value_of(word, PREFIX "driver=")) != NULL) {
        return set_driver(options, value);
    }
    if ((value = value_of(word, PREFIX "records=")) != NULL) {
        options->records = value;
    } else if ((value = value_of(word, PREFIX "probe=")) != NULL) {
        options->probe = value;
    } else if ((value = value_of(word, PREFIX "vme-slaves=")) != NULL) {
        options->vme_slaves = value;
    } else if ((value = value_of(word, PREFIX "wire=")) != NULL) {
        options->wire = value;
    } else if ((value = value_of(word, PREFIX "outside=")) != NULL) {
        options->outside = value;
    } else if ((value = value_of(word, PREFIX "peer=")) != NULL) {
        options->peer = value;
    } else if ((value = value_of(word, PREFIX "serve=")) != NULL) {
        options->serve = value;
    } else if ((value = value_of(word, PREFIX "stop=")) != NULL) {
        options->stop = value;
    } else {
        return strncmp(word, PREFIX, sizeof PREFIX - 1u) != 0 || value_of(word, PREFIX "network=") != NULL;
    }
    return true;
}

guest_options guest_parse(char *line)
{
    guest_options options = {.records = NULL};
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t\n", &rest); word != NULL; word = strtok_r(NULL, " \t\n", &rest)) {
        if (!take(&options, word) && options.wrong == NULL) {
            options.wrong = word;
        }
    }
    return options;
}
