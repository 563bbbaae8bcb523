/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * EPICS device support: records on one side, interface.h on the other. It knows no reason by name.
 */
#include <stdlib.h>
#include <string.h>

#include <alarm.h>
#include <dbAccess.h>
#include <dbScan.h>
#include <devSup.h>
#include <errlog.h>
#include <recGbl.h>

#include <aiRecord.h>
#include <aoRecord.h>
#include <biRecord.h>
#include <boRecord.h>
#include <int64inRecord.h>
#include <longinRecord.h>
#include <lsiRecord.h>
#include <mbbiRecord.h>
#include <stringinRecord.h>
#include <waveformRecord.h>

#include <epicsExport.h>

#include "interface.h"
#include "strict.h"

#define NO_CONVERSION                                                                                                  \
    2 /* the result of read and init of ai, ao, bi, bo and mbbi: VAL is set, and a caller must not use RVAL */

static long attach(dbCommon *record, const DBLINK *link)
{
    const char *why = "a link to a sampler is @sampler(PORT,ADDRESS)REASON";
    sampler_user *const user = calloc(1, sizeof *user);
    if (user != NULL && link->type == INST_IO &&
        sampler_user_parse(link->value.instio.string, user, &why) == SAMPLER_OK) {
        record->dpvt = user;
        return 0;
    }
    free(user);
    errlogPrintf("%s: %s\n", record->name, why);
    record->pact = TRUE; /* never processed */
    return S_db_badField;
}

static long changes(int command, dbCommon *record, IOSCANPVT *list)
{
    (void)command;
    if (record->dpvt == NULL) {
        return S_db_badField;
    }
    *list = sampler_changes(record->dpvt);
    return 0;
}

/** The time of the measurement, where the record asks for it. */
static void stamp(dbCommon *record)
{
    if (record->tse == epicsTimeEventDeviceTime) {
        record->time = sampler_time(record->dpvt);
    }
}

/** Sets the record's severity. True if there is a value. */
static int judge(void *record, sampler_status status)
{
    dbCommon *const common = record;
    stamp(common);
    if (status == SAMPLER_OK) {
        common->udf = FALSE;
        return 1;
    }
    if (status != SAMPLER_NO_SAMPLES) {
        (void)recGblSetSevr(common, status == SAMPLER_NO_VALUE ? UDF_ALARM : READ_ALARM, INVALID_ALARM);
    }
    return 0;
}

static long written(void *record, sampler_status status)
{
    if (status == SAMPLER_OK) {
        return 0;
    }
    (void)recGblSetSevr((dbCommon *)record, WRITE_ALARM, INVALID_ALARM);
    return S_db_badField;
}

/** The value of a count or a state, where there is one. True if so. */
static int take(void *record, epicsInt64 *value)
{
    return judge(record, sampler_read_int64(((const dbCommon *)record)->dpvt, value));
}

static long longin_init(dbCommon *record)
{
    return attach(record, &((longinRecord *)record)->inp);
}

static long longin_read(longinRecord *record)
{
    epicsInt64 value = 0;
    if (take(record, &value)) {
        record->val = (epicsInt32)value;
    }
    return 0;
}

static long int64in_init(dbCommon *record)
{
    return attach(record, &((int64inRecord *)record)->inp);
}

static long int64in_read(int64inRecord *record)
{
    epicsInt64 value = 0;
    if (take(record, &value)) {
        record->val = value;
    }
    return 0;
}

static long ai_init(dbCommon *record)
{
    return attach(record, &((aiRecord *)record)->inp);
}

static long ai_read(aiRecord *record)
{
    (void)judge(record, sampler_read_float64(record->dpvt, &record->val)); /* NaN without a value */
    return NO_CONVERSION;
}

static long bi_init(dbCommon *record)
{
    return attach(record, &((biRecord *)record)->inp);
}

static long bi_read(biRecord *record)
{
    epicsInt64 value = 0;
    if (take(record, &value)) {
        record->val = value != 0;
    }
    return NO_CONVERSION;
}

static long mbbi_init(dbCommon *record)
{
    return attach(record, &((mbbiRecord *)record)->inp);
}

static long mbbi_read(mbbiRecord *record)
{
    epicsInt64 value = 0;
    if (take(record, &value)) {
        record->val = (epicsEnum16)value;
    }
    return NO_CONVERSION;
}

static long init_array(dbCommon *record, epicsEnum16 type, const char *name)
{
    waveformRecord *const own = (waveformRecord *)record;
    if (own->ftvl != type) {
        errlogPrintf("%s: FTVL must be %s\n", record->name, name);
        record->pact = TRUE;
        return S_db_badField;
    }
    return attach(record, &own->inp);
}

static long waveform_init(dbCommon *record)
{
    return init_array(record, DBF_LONG, "LONG");
}

static long waveform64_init(dbCommon *record)
{
    return init_array(record, DBF_INT64, "INT64");
}

static long waveform64_read(waveformRecord *record)
{
    size_t count = 0;
    (void)judge(record, sampler_read_int64_array(record->dpvt, record->bptr, record->nelm, &count));
    record->nord = (epicsUInt32)count;
    return 0;
}

static long waveformf_init(dbCommon *record)
{
    return init_array(record, DBF_DOUBLE, "DOUBLE");
}

static long waveformf_read(waveformRecord *record)
{
    size_t count = 0;
    (void)judge(record, sampler_read_float64_array(record->dpvt, record->bptr, record->nelm, &count));
    record->nord = (epicsUInt32)count;
    return 0;
}

static long waveform_read(waveformRecord *record)
{
    size_t count = 0;
    (void)judge(record, sampler_read_int32_array(record->dpvt, record->bptr, record->nelm, &count));
    record->nord = (epicsUInt32)count;
    return 0;
}

static long stringin_init(dbCommon *record)
{
    return attach(record, &((stringinRecord *)record)->inp);
}

static long stringin_read(stringinRecord *record)
{
    (void)judge(record, sampler_read_text(record->dpvt, record->val, sizeof record->val));
    return 0;
}

static long lsi_init(dbCommon *record)
{
    return attach(record, &((lsiRecord *)record)->inp);
}

static long lsi_read(lsiRecord *record)
{
    if (judge(record, sampler_read_text(record->dpvt, record->val, record->sizv))) {
        record->len = (epicsUInt32)strlen(record->val) + 1u;
    }
    return 0;
}

static long ao_init(dbCommon *record)
{
    aoRecord *const own = (aoRecord *)record;
    const long status = attach(record, &own->out);
    if (status == 0 && own->val == 0) { /* the database does not say */
        (void)sampler_read_float64(record->dpvt, &own->val);
    }
    return status != 0 ? status : NO_CONVERSION;
}

/** What is refused is as if it had not been written, but for the alarm. */
static long ao_write(aoRecord *record)
{
    const sampler_status status =
        strict_refuses((const dbCommon *)record) ? SAMPLER_INVALID : sampler_write_float64(record->dpvt, record->oval);
    if (status != SAMPLER_OK) {
        (void)sampler_read_float64(record->dpvt, &record->val);
        record->oval = record->val;
        record->pval = record->val;
        record->udf = FALSE;
        record->nsta = WRITE_ALARM; /* also of NaN, which the record itself calls undefined */
        record->nsev = INVALID_ALARM;
        return S_db_badField;
    }
    return 0;
}

/** A button that nobody has pressed is up, since now. */
static long bo_init(dbCommon *record)
{
    const long status = attach(record, &((boRecord *)record)->out);
    if (status != 0) {
        return status;
    }
    record->udf = FALSE;
    record->stat = NO_ALARM;
    record->sevr = NO_ALARM;
    epicsTimeGetCurrent(&record->time);
    return NO_CONVERSION;
}

static long bo_write(boRecord *record)
{
    return written(record, sampler_write_int32(record->dpvt, record->val));
}

aidset devSamplerAi = {{6, NULL, NULL, ai_init, changes}, ai_read, NULL};
aodset devSamplerAo = {{6, NULL, NULL, ao_init, NULL}, ao_write, NULL};
int64indset devSamplerInt64in = {{5, NULL, NULL, int64in_init, changes}, int64in_read};
lsidset devSamplerLsi = {{5, NULL, NULL, lsi_init, changes}, lsi_read};
longindset devSamplerLongin = {{5, NULL, NULL, longin_init, changes}, longin_read};
bidset devSamplerBi = {{5, NULL, NULL, bi_init, changes}, bi_read};
mbbidset devSamplerMbbi = {{5, NULL, NULL, mbbi_init, changes}, mbbi_read};
wfdset devSamplerWaveform = {{5, NULL, NULL, waveform_init, changes}, waveform_read};
wfdset devSamplerWaveform64 = {{5, NULL, NULL, waveform64_init, changes}, waveform64_read};
wfdset devSamplerWaveformF = {{5, NULL, NULL, waveformf_init, changes}, waveformf_read};
stringindset devSamplerStringin = {{5, NULL, NULL, stringin_init, changes}, stringin_read};
bodset devSamplerBo = {{5, NULL, NULL, bo_init, NULL}, bo_write};

epicsExportAddress(dset, devSamplerLongin);
epicsExportAddress(dset, devSamplerBi);
epicsExportAddress(dset, devSamplerMbbi);
epicsExportAddress(dset, devSamplerWaveform);
epicsExportAddress(dset, devSamplerStringin);
epicsExportAddress(dset, devSamplerAi);
epicsExportAddress(dset, devSamplerAo);
epicsExportAddress(dset, devSamplerInt64in);
epicsExportAddress(dset, devSamplerLsi);
epicsExportAddress(dset, devSamplerWaveform64);
epicsExportAddress(dset, devSamplerWaveformF);
epicsExportAddress(dset, devSamplerBo);
