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
#include <registryDeviceSupport.h>

#include "clients/load_names.h"
#include "clients/loopback.h"
#include "clients/records.h"
#include "inside/describe.h"
#include "load/place_rtems.h"

/* Made by base's registerRecordDeviceDriver.pl of softIoc.dbd. */
int softIoc_registerRecordDeviceDriver(DBBASE *base);

extern char softioc_dbd[];
extern char softioc_dbd_end[];
extern char account_dbd[];
extern char account_dbd_end[];
extern char account_db[];
extern char account_db_end[];

#if defined(RTS_RTEMS_IOC_LINK)
#define NETWORK "libbsd; one port of the host leads to its network device"
#else
#define NETWORK "libbsd; the loopback interface alone has an address"
#endif

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
    fact(arg, "ioc.network", NETWORK);
    fact(arg, "kernel.timer_server",
         network_timer_is_preemptible() ? "preemptible" : "not preemptible, as RTEMS starts it on one processor");
    fact(arg, "ioc.pool", "not checked for each channel: base's check walks the whole heap");
    ioc_describe(fact, arg);
}

static bool read_text(char *text, const char *end)
{
    FILE *const file = fmemopen(text, (size_t)(end - text), "r");
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
    const bool done = fclose(made) == 0 && read_text(text, text + bytes);
    free(text);
    return done;
}

#if defined(RTS_RTEMS_IOC_LINK)
extern dset *pvar_dset_devLoadAsked;
extern dset *pvar_dset_devLoadAccount;

static void choose_addresses(void)
{
    char port[8];
    (void)snprintf(port, sizeof port, "%u", link_port());
    epicsEnvSet("EPICS_CAS_INTF_ADDR_LIST", link_address());
    epicsEnvSet("EPICS_CAS_SERVER_PORT", port);
}

/** The clients are on the host: they and the engine agree by two records. */
static bool prepare_clients(const char **why)
{
    *why = "the records for its clients cannot be loaded";
    return registryDeviceSupportAdd("devLoadAsked", pvar_dset_devLoadAsked) != 0 &&
           registryDeviceSupportAdd("devLoadAccount", pvar_dset_devLoadAccount) != 0 &&
           read_text(account_dbd, account_dbd_end) && read_text(account_db, account_db_end);
}
#else
static void choose_addresses(void)
{
    epicsEnvSet("EPICS_CAS_INTF_ADDR_LIST", "127.0.0.1");
    loopback_defaults();
}

static bool prepare_clients(const char **why)
{
    *why = "the threads of its clients cannot be created";
    return ioc_threads_prepare();
}
#endif

bool ioc_start(const char **why)
{
    epicsEnvSet("EPICS_CAS_BEACON_ADDR_LIST", "127.0.0.1");
    epicsEnvSet("EPICS_CAS_AUTO_BEACON_ADDR_LIST", "NO");
    choose_addresses();
    *why = "its record types are not what base has";
    if (!read_text(softioc_dbd, softioc_dbd_end) || softIoc_registerRecordDeviceDriver(pdbbase) != 0) {
        return false;
    }
    *why = "the load's records cannot be loaded";
    if (!read_records()) {
        return false;
    }
    if (!prepare_clients(why)) {
        return false;
    }
    *why = "iocInit fails";
    return iocInit() == 0;
}
