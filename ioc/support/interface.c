/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A port's values by reason.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <epicsVersion.h>

#include "health.h"
#include "interface.h"
#include "port.h"

static const char *const reason_names[REASON_COUNT_OF] = {
    [REASON_SERVE] = "SERVE",
    [REASON_COUNT] = "COUNT",
    [REASON_SETS] = "SETS",
    [REASON_SET] = "SET",
    [REASON_MISSED] = "MISSED",
    [REASON_STATE] = "STATE",
    [REASON_FIFO] = "FIFO",
    [REASON_PRIORITY] = "PRIORITY",
    [REASON_LOCKED] = "LOCKED",
    [REASON_LOCKED_KB] = "LOCKED_KB",
    [REASON_UPTIME] = "UPTIME",
    [REASON_CPU] = "CPU",
    [REASON_MEMORY] = "MEMORY",
    [REASON_FILES] = "FILES",
    [REASON_FILES_MOST] = "FILES_MOST",
    [REASON_CLIENTS] = "CLIENTS",
    [REASON_CHANNELS] = "CHANNELS",
    [REASON_START] = "START",
    [REASON_STOP] = "STOP",
    [REASON_CLEAR] = "CLEAR",
    [REASON_SAMPLES] = "SAMPLES",
    [REASON_LIMIT] = "LIMIT",
    [REASON_MEASURED] = "MEASURED",
    [REASON_MIN] = "MIN",
    [REASON_MEDIAN] = "MEDIAN",
    [REASON_BURST] = "BURST",
    [REASON_BURST_MEASURED] = "BURST_MEASURED",
    [REASON_BURST_OVER] = "BURST_OVER",
    [REASON_MAX] = "MAX",
    [REASON_OVER] = "OVER",
    [REASON_SATURATED] = "SATURATED",
    [REASON_RAW] = "RAW",
    [REASON_HISTOGRAM] = "HISTOGRAM",
    [REASON_EDGES] = "EDGES",
    [REASON_COLUMN] = "COLUMN",
    [REASON_SAMPLER] = "SAMPLER",
    [REASON_MESSAGE] = "MESSAGE",
    [REASON_VERSION] = "VERSION",
    [REASON_BASE] = "BASE",
};

sampler_status sampler_user_parse(const char *text, sampler_user *user, const char **why)
{
    char name[SAMPLER_NAME_SIZE];
    char address[4];
    char reason[16];
    int used = 0;
    if (sscanf(text, " sampler(%31[^,)],%3[0-9])%15s%n", name, address, reason, &used) != 3 || text[used] != '\0') {
        *why = "a link to a sampler is @sampler(PORT,ADDRESS)REASON";
        return SAMPLER_INVALID;
    }
    user->port = port_find(name);
    if (user->port == NULL) {
        *why = "there is no such port: samplerPortConfigure makes one";
        return SAMPLER_INVALID;
    }
    user->address = (int)strtol(address, NULL, 10); /* three digits */
    if (user->address >= (int)PARAMETERS) {
        *why = "the address is 0 to 4";
        return SAMPLER_INVALID;
    }
    for (int i = 0; i < REASON_COUNT_OF; i++) {
        if (strcmp(reason_names[i], reason) == 0) {
            user->reason = (sampler_reason)i;
            return SAMPLER_OK;
        }
    }
    *why = "there is no such reason";
    return SAMPLER_INVALID;
}

static sampler_status count_of_parameter(const sampler_user *user, epicsInt64 *value)
{
    const statistics_result *const result = &user->port->served.parameter[user->address];
    switch (user->reason) {
    case REASON_MEASURED:
        *value = (epicsInt64)result->count;
        return SAMPLER_OK;
    case REASON_OVER:
        *value = (epicsInt64)result->over;
        return SAMPLER_OK;
    case REASON_SATURATED:
        *value = (epicsInt64)result->saturated;
        return SAMPLER_OK;
    case REASON_BURST_MEASURED:
        *value = (epicsInt64)result->burst_count;
        return SAMPLER_OK;
    case REASON_BURST_OVER:
        *value = (epicsInt64)result->burst_over;
        return SAMPLER_OK;
    default:
        return SAMPLER_INVALID;
    }
}

static sampler_status of_system(const sampler_user *user, epicsInt64 *value)
{
    const long kb = standing_locked_kb();
    switch (user->reason) {
    case REASON_FIFO:
        *value = user->port->standing.fifo;
        return *value < 0 ? SAMPLER_NO_VALUE : SAMPLER_OK;
    case REASON_PRIORITY:
        *value = user->port->standing.priority;
        return user->port->standing.fifo < 0 ? SAMPLER_NO_VALUE : SAMPLER_OK;
    case REASON_LOCKED:
        *value = kb > 0;
        return kb < 0 ? SAMPLER_NO_VALUE : SAMPLER_OK;
    case REASON_LOCKED_KB:
        *value = kb;
        return kb < 0 ? SAMPLER_NO_VALUE : SAMPLER_OK;
    default:
        return count_of_parameter(user, value);
    }
}

sampler_status sampler_read_int64(const sampler_user *user, epicsInt64 *value)
{
    port *const own = user->port;
    sampler_status status = SAMPLER_OK;
    if (user->reason == REASON_SERVE) {
        port_serve(own);
    }
    epicsMutexMustLock(own->lock);
    switch (user->reason) {
    case REASON_SERVE:
    case REASON_COUNT:
        *value = (epicsInt64)own->served.count;
        break;
    case REASON_SETS:
        *value = (epicsInt64)own->served.sets;
        break;
    case REASON_SET:
        *value = own->served.set.samples;
        break;
    case REASON_MISSED:
        *value = (epicsInt64)own->missed;
        break;
    case REASON_STATE:
        *value = (epicsInt64)own->state;
        break;
    default:
        status = of_system(user, value);
        break;
    }
    epicsMutexUnlock(own->lock);
    return status;
}

sampler_status sampler_write_int32(const sampler_user *user, epicsInt32 value)
{
    port *const own = user->port;
    switch (user->reason) {
    case REASON_START:
        if (value != 0) {
            port_start(own);
        }
        return SAMPLER_OK;
    case REASON_STOP:
        if (value != 0) {
            port_stop(own);
        }
        return SAMPLER_OK;
    case REASON_CLEAR:
        if (value != 0) {
            port_clear(own);
        }
        return SAMPLER_OK;
    case REASON_BURST:
        epicsMutexMustLock(own->lock);
        own->burst = value != 0;
        epicsMutexUnlock(own->lock);
        return SAMPLER_OK;
    default:
        return SAMPLER_INVALID;
    }
}

/** A time of one parameter. With the port's lock held. */
static sampler_status time_of_parameter(const sampler_user *user, double *value)
{
    const port_results *const served = &user->port->served;
    const statistics_result *const result = &served->parameter[user->address];
    if (result->count == 0) {
        *value = (double)NAN;
        return served->count == 0 ? SAMPLER_NO_SAMPLES : SAMPLER_NO_VALUE;
    }
    switch (user->reason) {
    case REASON_MIN:
        *value = result->minimum;
        return SAMPLER_OK;
    case REASON_MEDIAN:
        *value = result->median;
        return SAMPLER_OK;
    case REASON_MAX:
        *value = result->maximum;
        return SAMPLER_OK;
    default:
        return SAMPLER_INVALID;
    }
}

sampler_status sampler_read_float64(const sampler_user *user, double *value)
{
    port *const own = user->port;
    sampler_status status = SAMPLER_OK;
    epicsMutexMustLock(own->lock);
    switch (user->reason) {
    case REASON_SAMPLES:
        *value = own->wanted;
        break;
    case REASON_LIMIT:
        *value = own->limit_ns;
        break;
    default:
        status = health_read(user->reason, value);
        if (status == SAMPLER_INVALID) {
            status = time_of_parameter(user, value);
        }
        break;
    }
    epicsMutexUnlock(own->lock);
    return status;
}

/** True for whole numbers from `low` to `high`; false for NaN too. */
static int is_integer(double value, epicsInt32 low, epicsInt32 high)
{
    return value >= low && value <= high && value == (double)(epicsInt32)value;
}

sampler_status sampler_write_float64(const sampler_user *user, double value)
{
    port *const own = user->port;
    switch (user->reason) {
    case REASON_SAMPLES:
        if (!is_integer(value, 1, own->room)) {
            return SAMPLER_INVALID;
        }
        epicsMutexMustLock(own->lock);
        own->wanted = (epicsInt32)value;
        epicsMutexUnlock(own->lock);
        return SAMPLER_OK;
    case REASON_LIMIT:
        if (!is_integer(value, 0, INT32_MAX)) {
            return SAMPLER_INVALID;
        }
        port_set_limit(own, (epicsInt32)value);
        return SAMPLER_OK;
    default:
        return SAMPLER_INVALID;
    }
}

sampler_status sampler_read_int32_array(const sampler_user *user, epicsInt32 *values, size_t room, size_t *count)
{
    port *const own = user->port;
    const unsigned parameter = (unsigned)user->address;
    size_t have = STATISTICS_BINS;
    sampler_status status = SAMPLER_OK;
    epicsMutexMustLock(own->lock);
    const port_set *const set = &own->served.set;
    if (user->reason == REASON_RAW) {
        have = (size_t)set->count[parameter];
    }
    have = have < room ? have : room;
    switch (user->reason) {
    case REASON_RAW:
        memcpy(values, set->value[parameter], have * sizeof *values);
        break;
    case REASON_EDGES:
        for (size_t i = 0; i < have; i++) {
            values[i] = statistics_edge((unsigned)i);
        }
        break;
    default:
        have = 0;
        status = SAMPLER_INVALID;
        break;
    }
    epicsMutexUnlock(own->lock);
    *count = have;
    return status;
}

sampler_status sampler_read_int64_array(const sampler_user *user, epicsInt64 *values, size_t room, size_t *count)
{
    port *const own = user->port;
    if (user->reason != REASON_HISTOGRAM) {
        *count = 0;
        return SAMPLER_INVALID;
    }
    *count = STATISTICS_BINS < room ? STATISTICS_BINS : room;
    epicsMutexMustLock(own->lock);
    for (size_t i = 0; i < *count; i++) {
        values[i] = own->served.parameter[user->address].histogram[i];
    }
    epicsMutexUnlock(own->lock);
    return SAMPLER_OK;
}

sampler_status sampler_read_float64_array(const sampler_user *user, double *values, size_t room, size_t *count)
{
    port *const own = user->port;
    *count = 0;
    if (user->reason != REASON_COLUMN) {
        return SAMPLER_INVALID;
    }
    epicsMutexMustLock(own->lock);
    const port_set *const set = &own->served.set;
    const epicsInt32 *next = set->value[user->address];
    while (*count < (size_t)set->samples && *count < room) {
        const unsigned has = set->has[*count] & 1u << user->address;
        values[(*count)++] = has != 0 ? (double)*next++ : (double)NAN;
    }
    epicsMutexUnlock(own->lock);
    return SAMPLER_OK;
}

sampler_status sampler_read_text(const sampler_user *user, char *text, size_t room)
{
    port *const own = user->port;
    sampler_status status = SAMPLER_OK;
    epicsMutexMustLock(own->lock);
    if (user->reason == REASON_SAMPLER) {
        (void)snprintf(text, room, "%s", own->sampler);
    } else if (user->reason == REASON_MESSAGE) {
        (void)snprintf(text, room, "%s", own->message);
    } else if (user->reason == REASON_VERSION) {
        const char *const version = getenv("RTSTONE_IOC_VERSION"); /* told by the command; a script of a site's may */
        (void)snprintf(text, room, "%s", version == NULL ? "" : version);
    } else if (user->reason == REASON_BASE) {
        (void)snprintf(text, room, "%s", EPICS_VERSION_FULL);
    } else {
        status = SAMPLER_INVALID;
    }
    epicsMutexUnlock(own->lock);
    return status;
}

IOSCANPVT sampler_changes(const sampler_user *user)
{
    switch (user->reason) {
    case REASON_STATE:
    case REASON_MISSED:
    case REASON_MESSAGE:
        return user->port->on_status;
    default:
        return user->port->on_results;
    }
}

epicsTimeStamp sampler_time(const sampler_user *user)
{
    epicsMutexMustLock(user->port->lock);
    const epicsTimeStamp time = user->port->served.time;
    epicsMutexUnlock(user->port->lock);
    return time;
}
