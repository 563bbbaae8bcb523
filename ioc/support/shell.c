/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The commands of the IOC shell: ports and samplers are made in the start-up script.
 */
#include <stdio.h>
#include <stdlib.h>

#include <epicsExit.h>
#include <iocsh.h>

#include <epicsExport.h>

#include "../samplers/samplers.h"
#include "figures.h"
#include "health.h"
#include "port.h"
#include "settings.h"
#include "strict.h"

static void port_configure(const iocshArgBuf *args)
{
    const double patience_s = args[3].dval == 0.0 ? 5.0 : args[3].dval;
    const int samples = args[2].ival == 0 ? 10000 : args[2].ival;
    if (port_create(args[0].sval, args[1].sval, samples, patience_s) == NULL) {
        (void)iocshSetError(-1);
    }
}

static void report(const iocshArgBuf *args)
{
    (void)args;
    (void)printf("samplers\n");
    samplerList();
    for (port *own = port_next(NULL); own != NULL; own = port_next(own)) {
        port_report(own);
    }
}

static void figures(const iocshArgBuf *args)
{
    (void)args;
    figures_tell(NULL);
}

static void engine_configure(const iocshArgBuf *args)
{
    if (engineSamplerConfigure(args[0].sval, args[1].ival, args[2].ival) != 0) {
        (void)iocshSetError(-1);
    }
}

static void keep(const iocshArgBuf *args)
{
    if (settings_keep(args[0].sval) != 0) {
        (void)iocshSetError(-1);
    }
}

static const iocshArg arg_port = {"port", iocshArgString};
static const iocshArg arg_sampler = {"sampler", iocshArgString};
static const iocshArg arg_samples = {"most samples of a set (10000)", iocshArgInt};
static const iocshArg arg_patience = {"seconds that one sample may take (5)", iocshArgDouble};
static const iocshArg arg_period = {"period in microseconds", iocshArgInt};
static const iocshArg arg_cpu = {"CPU, -1 for any", iocshArgInt};

static const iocshArg *const port_args[] = {&arg_port, &arg_sampler, &arg_samples, &arg_patience};
static const iocshFuncDef port_def = {"samplerPortConfigure", 4, port_args,
                                      "Makes a port: sets of samples and their statistics, of one sampler.\n"};
static const iocshFuncDef report_def = {"samplerReport", 0, NULL,
                                        "Lists samplers and ports, and how they are doing.\n"};
static const iocshFuncDef figures_def = {"samplerFigures", 0, NULL,
                                         "Prints all delays of all ports since Clear as lines of JSON.\n"};
static const iocshArg *const engine_args[] = {&arg_sampler, &arg_period, &arg_cpu};
static const iocshFuncDef engine_def = {
    "engineSamplerConfigure", 3, engine_args,
    "Registers a sampler: a timer as the engine's port has it, on Linux as user space sees it.\n"};

static const iocshArg arg_file = {"file", iocshArgString};
static const iocshArg *const keep_args[] = {&arg_file};
static const iocshFuncDef keep_def = {
    "settingsKeep", 1, keep_args,
    "Before iocInit: takes what info(autosaveFields) names from a file of autosave's format, and keeps it there.\n"};

static void samplerRegister(void)
{
    strict_begin();
    health_begin();
    iocshRegister(&port_def, port_configure);
    iocshRegister(&report_def, report);
    iocshRegister(&figures_def, figures);
    iocshRegister(&keep_def, keep);
    iocshRegister(&engine_def, engine_configure);
    samplers_register();
    if (getenv("RTSTONE_IOC_FIGURES") != NULL) { /* whoever started the IOC reads its last words */
        (void)epicsAtExit(figures_tell, NULL);
    }
}

epicsExportRegistrar(samplerRegister);
