/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A sampler that plays what the tests know beforehand, loaded into the IOC as a site would load its own driver.
 *
 * scriptedSamplerConfigure(name, play): "ramp" gives 0, 1000, 2000 … ns; "stuck:N:S" sleeps S seconds before its Nth sample; "failed:N" fails at it; "whole" has
 * a value for each of the five delays. scriptedCounted(port, n): as if n samples had come already, all of 5 ns, and as many sets; each in a burst.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <epicsThread.h>
#include <iocsh.h>

#include "port.h"
#include "port_thread.h"
#include "rtstone_sampler.h"

static struct {
    long at;
    long stuck_at;
    double stuck_s;
    long fails_at;
    int whole;
} script = {.stuck_at = -1, .fails_at = -1};

static int get(void *pvt, delayMeasure *sample)
{
    (void)pvt;
    const long at = script.at++;
    if (at == script.stuck_at) {
        epicsThreadSleep(script.stuck_s);
    }
    if (at == script.fails_at) {
        return ENODEV;
    }
    sample->interruptLatency = at * 1000;
    sample->topToBottom = -at;
    sample->bottomToUserInterrupt = script.whole ? 300 + at : DELAY_NOT_MEASURED;
    sample->contextSwitch = 50000;
    sample->totalResponse = at == 7 ? 9000000000L : at * 2000 + 1;
    return 0;
}

static void configure(const iocshArgBuf *args)
{
    const char *const play = args[1].sval;
    (void)sscanf(play, "stuck:%ld:%lf", &script.stuck_at, &script.stuck_s);
    script.whole = strcmp(play, "whole") == 0;
    (void)sscanf(play, "failed:%ld", &script.fails_at);
    if (psamplerManager->registerSampler(args[0].sval, get, &script) != 0) {
        (void)iocshSetError(-1);
    }
}

/** Days of measuring at once, by which counters are seen to go on. */
static void counted(const iocshArgBuf *args)
{
    port *const own = port_find(args[0].sval);
    const uint64_t count = strtoull(args[1].sval, NULL, 10);
    if (own == NULL) {
        (void)iocshSetError(-1);
        return;
    }
    epicsMutexMustLock(own->lock);
    for (unsigned i = 0; i < PARAMETERS; i++) {
        statistics *const all = own->statistics[i];
        statistics_add(all, 5, own->limit_ns, 1);
        all->result.count = count;
        all->result.over = count;
        all->result.saturated = count;
        all->result.burst_count = count;
        all->result.burst_over = count;
        for (size_t k = 0; k < STATISTICS_BUCKETS; k++) {
            all->positive[k] *= count;
            all->burst[k] *= count;
        }
        for (size_t k = 0; k < STATISTICS_BINS; k++) {
            all->result.histogram[k] *= (int64_t)count;
        }
    }
    own->count = count;
    own->sets = count;
    own->missed = count;
    port_publish(own);
    scanIoRequest(own->on_status);
    epicsMutexUnlock(own->lock);
}

/** No .dbd file names this: it is there as soon as the library is loaded. */
__attribute__((constructor)) static void scripted_register(void)
{
    static const iocshArg name = {"name", iocshArgString};
    static const iocshArg play = {"play", iocshArgString};
    static const iocshArg *const args[] = {&name, &play};
    static const iocshFuncDef def = {"scriptedSamplerConfigure", 2, args, "For the tests.\n"};
    iocshRegister(&def, configure);
    static const iocshArg count = {"count", iocshArgString};
    static const iocshArg *const counted_args[] = {&name, &count};
    static const iocshFuncDef counted_def = {"scriptedCounted", 2, counted_args, "For the tests.\n"};
    iocshRegister(&counted_def, counted);
}
