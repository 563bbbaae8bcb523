/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * rtstone-ioc: an IOC of one C program. It runs start-up scripts, then a shell, or nothing but what the scripts began.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <unistd.h>

#include <dbAccess.h>
#include <dbStaticLib.h>
#include <epicsExit.h>
#include <epicsThread.h>
#include <epicsVersion.h>
#include <iocsh.h>
#include <iocshRegisterCommon.h>

#include "alone.h"
#include "loopback_only.h"
#ifdef __linux__
#include "system.h"
#endif

enum { EXIT_USAGE = 2, EXIT_FAILED = 3 };

static void register_all(const iocshArgBuf *args)
{
    (void)args;
    if (dlsym(RTLD_DEFAULT, "pvar_func_pvxsBaseRegistrar") != NULL) {
        alone_check_pv_access();
    }
    (void)iocshSetError(registerAllRecordDeviceDrivers(pdbbase) == 0 ? 0 : -1);
}

static void load_library(const iocshArgBuf *args)
{
    /* Global: device support is found by name in the whole process. */
    if (args[0].sval == NULL || dlopen(args[0].sval, RTLD_NOW | RTLD_GLOBAL) == NULL) {
        (void)fprintf(stderr, "loadLibrary: %s\n", args[0].sval == NULL ? "which library?" : dlerror());
        (void)iocshSetError(-1);
    }
}

static void register_commands(void)
{
    static const iocshArg library = {"library", iocshArgString};
    static const iocshArg *const libraries[] = {&library};
    static const iocshFuncDef all = {"registerAllRecordDeviceDrivers", 0, NULL,
                                     "Makes known what the loaded .dbd files name.\n"};
    static const iocshFuncDef load = {"loadLibrary", 1, libraries,
                                      "Loads a shared library with further record, device or server support.\n"};
    iocshRegisterCommon();
    iocshRegister(&all, register_all);
    iocshRegister(&load, load_library);
}

static int usage(FILE *where, int code)
{
    (void)fputs(
        "usage: rtstone-ioc [--no-shell] [--with-parent] SCRIPT...\n"
        "  --no-shell     no shell after the scripts: run until SIGTERM or SIGINT\n"
        "  --with-parent  end when the program that started this one ends\n"
        "  --version      version of this program's EPICS base\n"
        "Serves the loopback interface only, unless EPICS_CAS_INTF_ADDR_LIST and EPICS_PVAS_INTF_ADDR_LIST say otherwise.\n",
        where);
    return code;
}

static void die_with_parent(void)
{
#ifdef __linux__
    const pid_t parent = getppid();
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || parent == 1) {
        (void)fprintf(stderr, "rtstone-ioc: it will not end with the program that started it\n");
    }
#else
    (void)fprintf(stderr, "rtstone-ioc: --with-parent is not to be had on this system\n");
#endif
}

static _Atomic int running;

/** Takes the signals that end an IOC without a shell, also while a script is still at work, or halts. */
static void *wait_for_end(void *unused)
{
    sigset_t ends;
    int got = 0;
    (void)unused;
    (void)sigemptyset(&ends);
    (void)sigaddset(&ends, SIGTERM);
    (void)sigaddset(&ends, SIGINT);
    (void)sigwait(&ends, &got);
    if (!running) {
        _exit(EXIT_FAILED);
    }
    epicsExit(0);
    return NULL;
}

/** Before any other thread, so that all inherit it: these signals are taken by one thread alone. */
static int take_ends(void)
{
    sigset_t ends;
    pthread_t thread;
    (void)sigemptyset(&ends);
    (void)sigaddset(&ends, SIGTERM);
    (void)sigaddset(&ends, SIGINT);
    return pthread_sigmask(SIG_BLOCK, &ends, NULL) == 0 && pthread_create(&thread, NULL, wait_for_end, NULL) == 0;
}

int main(int count, char *words[])
{
    int shell = 1;
    int first = 1;
#ifdef __linux__
    rts_system_claim_granted(); /* before there are threads, which inherit it */
#endif
    for (; first < count && strncmp(words[first], "--", 2) == 0; first++) {
        if (strcmp(words[first], "--no-shell") == 0) {
            shell = 0;
        } else if (strcmp(words[first], "--with-parent") == 0) {
            die_with_parent();
        } else if (strcmp(words[first], "--version") == 0) {
            (void)printf("rtstone-ioc (%s)\n", EPICS_VERSION_FULL);
            return 0;
        } else {
            return strcmp(words[first], "--help") == 0 ? usage(stdout, 0) : usage(stderr, EXIT_USAGE);
        }
    }
    if (first == count) {
        return usage(stderr, EXIT_USAGE);
    }
    if (!shell && !take_ends()) {
        (void)fprintf(stderr, "rtstone-ioc: the thread that waits for its end cannot be made\n");
        return EXIT_FAILED;
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    alone_defaults();
    loopback_only_begin();
    alone_check_at_init();
    register_commands();
    for (; first < count; first++) {
        if (access(words[first], R_OK) != 0) {
            (void)fprintf(stderr, "rtstone-ioc: the script '%s' cannot be read\n", words[first]);
            epicsExit(EXIT_FAILED);
        }
        if (iocsh(words[first]) != 0) {
            (void)fprintf(stderr, "rtstone-ioc: the script '%s' failed; what is wrong stands above\n", words[first]);
            epicsExit(EXIT_FAILED);
        }
    }
    running = 1;
    (void)printf("rtstone-ioc: running\n");
    if (shell) {
        (void)iocsh(NULL);
    } else {
        epicsThreadSuspendSelf(); /* the other thread ends it */
    }
    epicsExit(0);
    return 0;
}
