/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The IOC: base's softIoc with the records of the load. Its definitions are in the image (definitions.S), as is all that it reads.
 */
#include "ioc.h"

#include <stdio.h>
#include <stdlib.h>

#include <dbAccess.h>
#include <dbStaticLib.h>
#include <envDefs.h>
#include <iocInit.h>
#include <osiPoolStatus.h>

#include "clients/load_names.h"
#include "clients/loopback.h"
#include "clients/records.h"
#include "inside/describe.h"
#include "load/place_rtems.h"

/* Made by base's registerRecordDeviceDriver.pl of softIoc.dbd. */
int softIoc_registerRecordDeviceDriver(DBBASE *base);

extern char softioc_dbd[];
extern char softioc_dbd_end[];

/**
 * In the place of base's, which walks the whole heap for each channel and each monitor: some 40 ms with 5000 records. Memory that runs out is then
 * seen where it is allocated.
 */
int osiSufficentSpaceInPool(size_t bytes)
{
    (void)bytes;
    return 1;
}

void rtems_ioc_describe(rts_fact_fn fact, void *arg)
{
    fact(arg, "ioc.console", "polled, on UART 1");
    fact(arg, "ioc.network", "libbsd; the loopback interface alone has an address");
    fact(arg, "kernel.timer_server",
         network_timer_is_preemptible() ? "preemptible" : "not preemptible, as RTEMS starts it on one processor");
    fact(arg, "ioc.pool", "not checked for each channel: base's check walks the whole heap");
    ioc_describe(fact, arg);
}

static bool read_definitions(void)
{
    FILE *const file = fmemopen(softioc_dbd, (size_t)(softioc_dbd_end - softioc_dbd), "r");
    return file != NULL && dbReadDatabaseFP(&pdbbase, file, NULL, NULL) == 0; /* which closes it */
}

static bool read_records(void)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const made = open_memstream(&text, &bytes);
    if (made == NULL) {
        return false;
    }
    load_records_write(made, LOAD_PREFIX, IOC_RECORDS, 0);
    FILE *const file = fclose(made) == 0 ? fmemopen(text, bytes, "r") : NULL;
    const bool done = file != NULL && dbReadDatabaseFP(&pdbbase, file, NULL, NULL) == 0;
    free(text);
    return done;
}

static void stay_on_loopback(void)
{
    epicsEnvSet("EPICS_CAS_INTF_ADDR_LIST", "127.0.0.1");
    epicsEnvSet("EPICS_CAS_BEACON_ADDR_LIST", "127.0.0.1");
    epicsEnvSet("EPICS_CAS_AUTO_BEACON_ADDR_LIST", "NO");
    loopback_defaults();
}

bool ioc_start(const char **why)
{
    stay_on_loopback();
    *why = "its record types are not what base has";
    if (!read_definitions() || softIoc_registerRecordDeviceDriver(pdbbase) != 0) {
        return false;
    }
    *why = "the load's records cannot be loaded";
    if (!read_records()) {
        return false;
    }
    *why = "the threads of its clients cannot be created";
    if (!ioc_threads_prepare()) {
        return false;
    }
    *why = "iocInit fails";
    return iocInit() == 0;
}
