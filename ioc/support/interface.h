/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a port offers to records, in the shape of asyn's interfaces: integers, numbers, arrays, texts; a value is named by port, address and reason.
 *
 * The address is the parameter's number, 0 to 4, in the order of delayMeasure; 0 where the reason is of the port itself.
 */
#ifndef RTSTONE_IOC_INTERFACE_H
#define RTSTONE_IOC_INTERFACE_H

#include <stddef.h>

#include <dbScan.h>
#include <epicsTime.h>
#include <epicsTypes.h>

typedef enum sampler_reason {
    /* of the port; read */
    REASON_SERVE, /**< takes over the latest set; all other results are of that set until the next time. The value is COUNT */
    REASON_COUNT,
    REASON_SETS,
    REASON_SET, /**< samples of the set that is served */
    REASON_MISSED,
    REASON_STATE,
    REASON_FIFO,
    REASON_PRIORITY,
    REASON_LOCKED,
    REASON_LOCKED_KB,
    /* of the process; read (health.h) */
    REASON_UPTIME,
    REASON_CPU,
    REASON_MEMORY,
    REASON_FILES,
    REASON_FILES_MOST,
    REASON_CLIENTS,
    REASON_CHANNELS,
    /* of the port; written */
    REASON_START,
    REASON_STOP,
    REASON_CLEAR,
    REASON_SAMPLES,
    REASON_LIMIT,
    REASON_BURST, /**< 1: the load is at work */
    /* of a parameter; read */
    REASON_MEASURED, /**< samples of this parameter since Clear */
    REASON_MIN,
    REASON_MEDIAN,
    REASON_MAX,
    REASON_OVER,
    REASON_SATURATED,
    REASON_BURST_MEASURED, /**< MEASURED and OVER, of samples during bursts of the load */
    REASON_BURST_OVER,
    /* arrays */
    REASON_RAW,
    REASON_HISTOGRAM,
    REASON_EDGES,
    REASON_COLUMN, /**< RAW as numbers, one for each interrupt of the set: NaN where it has no such delay */
    /* texts */
    REASON_SAMPLER,
    REASON_MESSAGE,
    REASON_VERSION,
    REASON_BASE,
    REASON_COUNT_OF
} sampler_reason;

typedef enum sampler_status {
    SAMPLER_OK = 0,
    SAMPLER_NO_SAMPLES, /**< there is no sample yet, or none since Clear; the value is NaN */
    SAMPLER_NO_VALUE,   /**< this sampler does not measure the value; the value is NaN */
    SAMPLER_INVALID     /**< no such value, or it is out of range */
} sampler_status;

struct port;

/** Whom a record talks to. */
typedef struct sampler_user {
    struct port *port;
    int address;
    sampler_reason reason;
} sampler_user;

/** Reads "sampler(PORT,ADDRESS)REASON". On failure `why` is one sentence. */
sampler_status sampler_user_parse(const char *text, sampler_user *user, const char **why);

/** Counts, states and the like: all that is read of a port, and the counts of a parameter. */
sampler_status sampler_read_int64(const sampler_user *user, epicsInt64 *value);
/** The commands: 1 does it, 0 does nothing; and BURST. */
sampler_status sampler_write_int32(const sampler_user *user, epicsInt32 value);

/** A parameter's MIN, MEDIAN and MAX in ns; SAMPLES and LIMIT as they are in force; how the process is doing. */
sampler_status sampler_read_float64(const sampler_user *user, double *value);
/** Sets SAMPLES and LIMIT: whole numbers within their range. For any other value, NaN too, returns SAMPLER_INVALID and changes nothing. */
sampler_status sampler_write_float64(const sampler_user *user, double value);

/** RAW, EDGES. Copies at most `room` values. */
sampler_status sampler_read_int32_array(const sampler_user *user, epicsInt32 *values, size_t room, size_t *count);
/** HISTOGRAM. Copies at most `room` values. */
sampler_status sampler_read_int64_array(const sampler_user *user, epicsInt64 *values, size_t room, size_t *count);

/** COLUMN. Copies at most `room` values. */
sampler_status sampler_read_float64_array(const sampler_user *user, double *values, size_t room, size_t *count);

sampler_status sampler_read_text(const sampler_user *user, char *text, size_t room);

/** The scan list that is processed when the value changes. */
IOSCANPVT sampler_changes(const sampler_user *user);

/** When the served set ended, or its statistics were recounted for another limit. */
epicsTimeStamp sampler_time(const sampler_user *user);

#endif
