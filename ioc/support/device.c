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

#include <biRecord.h>
#include <boRecord.h>
#include <longinRecord.h>
#include <longoutRecord.h>
#include <mbbiRecord.h>
#include <stringinRecord.h>
#include <waveformRecord.h>

#include <epicsExport.h>

#include "interface.h"

#define NO_CONVERSION 2 /* what read and init of bi, bo and mbbi return: VAL is set, RVAL is not to be looked at */

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
    (void)recGblSetSevr(common, status == SAMPLER_NO_VALUE ? UDF_ALARM : READ_ALARM, INVALID_ALARM);
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

static long longin_init(dbCommon *record)
{
    return attach(record, &((longinRecord *)record)->inp);
}

static long longin_read(longinRecord *record)
{
    epicsInt32 value = 0;
    if (judge(record, sampler_read_int32(record->dpvt, &value))) {
        record->val = value;
    }
    return 0;
}

static long bi_init(dbCommon *record)
{
    return attach(record, &((biRecord *)record)->inp);
}

static long bi_read(biRecord *record)
{
    epicsInt32 value = 0;
    if (judge(record, sampler_read_int32(record->dpvt, &value))) {
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
    epicsInt32 value = 0;
    if (judge(record, sampler_read_int32(record->dpvt, &value))) {
        record->val = (epicsEnum16)value;
    }
    return NO_CONVERSION;
}

static long waveform_init(dbCommon *record)
{
    waveformRecord *const own = (waveformRecord *)record;
    if (own->ftvl != DBF_LONG) {
        errlogPrintf("%s: FTVL must be LONG\n", record->name);
        record->pact = TRUE;
        return S_db_badField;
    }
    return attach(record, &own->inp);
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

static long longout_init(dbCommon *record)
{
    return attach(record, &((longoutRecord *)record)->out);
}

static long longout_write(longoutRecord *record)
{
    return written(record, sampler_write_int32(record->dpvt, record->val));
}

static long bo_init(dbCommon *record)
{
    const long status = attach(record, &((boRecord *)record)->out);
    return status != 0 ? status : NO_CONVERSION;
}

static long bo_write(boRecord *record)
{
    return written(record, sampler_write_int32(record->dpvt, record->val));
}

longindset devSamplerLongin = {{5, NULL, NULL, longin_init, changes}, longin_read};
bidset devSamplerBi = {{5, NULL, NULL, bi_init, changes}, bi_read};
mbbidset devSamplerMbbi = {{5, NULL, NULL, mbbi_init, changes}, mbbi_read};
wfdset devSamplerWaveform = {{5, NULL, NULL, waveform_init, changes}, waveform_read};
stringindset devSamplerStringin = {{5, NULL, NULL, stringin_init, changes}, stringin_read};
longoutdset devSamplerLongout = {{5, NULL, NULL, longout_init, NULL}, longout_write};
bodset devSamplerBo = {{5, NULL, NULL, bo_init, NULL}, bo_write};

epicsExportAddress(dset, devSamplerLongin);
epicsExportAddress(dset, devSamplerBi);
epicsExportAddress(dset, devSamplerMbbi);
epicsExportAddress(dset, devSamplerWaveform);
epicsExportAddress(dset, devSamplerStringin);
epicsExportAddress(dset, devSamplerLongout);
epicsExportAddress(dset, devSamplerBo);
