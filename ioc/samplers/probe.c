/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A sampler on the kernel module rtstone_probe: top half, bottom half (a thread), a user-level interrupt service routine by signal where asked for,
 * and the measuring task, each with its own clock reading.
 */
#include <stdio.h>

#include <iocsh.h>

#include "../../probe/rtstone_probe.h"
#include "interrupts.h"
#include "posix.h"
#include "samplers.h"
#include "stream.h"

#define DEVICE "/dev/" RTSTONE_PROBE_DEVICE

int probeSamplerConfigure(const char *name, const char *device, int period_us, int cpu, int with_user_isr)
{
    static const char call[] = "probeSamplerConfigure";
    static bool there;
    int32_t resolved = 0;
    if (there) {
        return sampler_refuse(call, name, "there is one already, and the device has one user");
    }
    if (period_us != 0 && (period_us < 10 || period_us > 1000000)) {
        return sampler_refuse(call, name, "its period is 10 to 1000000 microseconds, or 0 for interrupts by software");
    }
    if (cpu < RTS_CPU_ANY || rts_port_cpu_resolve(cpu, &resolved) != RTS_OK) {
        return sampler_refuse(call, name, "there is no such CPU, or this process may not use it");
    }
    rts_posix_clock_init(); /* the module may stamp by the CPU's counter */
    const char *const place = device == NULL || device[0] == '\0' ? DEVICE : device;
    const char *why = NULL;
    if (rts_posix_probe_init(place, &why) != RTS_OK) {
        (void)fprintf(stderr, "%s: sampler '%s': %s of the module rtstone_probe: %s; the IOC goes on without it\n",
                      call, name, place, why);
    }
    rts_posix_probe_release();
    const char *const wrong =
        interrupts_register(&(interrupts_spec){.name = name,
                                               .device = place,
                                               .open = rts_posix_probe_init,
                                               .release = rts_posix_probe_release,
                                               .source = period_us == 0 ? "software" : "probe",
                                               .period_us = (unsigned)period_us,
                                               .path = with_user_isr != 0 ? RTS_TIMER_SIGNALLED : RTS_TIMER_DEFERRED,
                                               .cpu = resolved});
    if (wrong != NULL) {
        return sampler_refuse(call, name, wrong);
    }
    there = true;
    return 0;
}

static void configure(const iocshArgBuf *args)
{
    if (probeSamplerConfigure(args[0].sval, args[1].sval, args[2].ival, args[3].ival, args[4].ival) != 0) {
        (void)iocshSetError(-1);
    }
}

void samplers_register(void)
{
    static const iocshArg sampler = {"sampler", iocshArgString};
    static const iocshArg device = {"device", iocshArgString};
    static const iocshArg period = {"period in microseconds", iocshArgInt};
    static const iocshArg cpu = {"CPU, -1 for any", iocshArgInt};
    static const iocshArg user_isr = {"1: with a user-level interrupt service routine", iocshArgInt};
    static const iocshArg *const args[] = {&sampler, &device, &period, &cpu, &user_isr};
    static const iocshFuncDef command = {"probeSamplerConfigure", 5, args,
                                         "Registers a sampler: interrupts of the kernel module rtstone_probe.\n"};
    iocshRegister(&command, configure);
}
