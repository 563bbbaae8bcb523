/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Linux beneath libCom: implements place.h with the functions of linux/.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "place.h"
#include "system.h"

void rts_place_duty(uint64_t *run_ns, uint64_t *rest_ns)
{
    uint64_t runtime_ns = 0;
    uint64_t period_ns = 0;
    *run_ns = 0;
    *rest_ns = 0;
    rts_system_realtime_limit(&runtime_ns, &period_ns);
    if (period_ns != 0) {
        rts_system_duty(runtime_ns, period_ns, run_ns, rest_ns);
    }
}

bool rts_place_realtime(void)
{
    int policy = SCHED_OTHER;
    struct sched_param param;
    return pthread_getschedparam(pthread_self(), &policy, &param) == 0 && policy == SCHED_FIFO;
}

void rts_place_ordinary(void)
{
    const struct sched_param none = {.sched_priority = 0};
    (void)pthread_setschedparam(pthread_self(), SCHED_OTHER, &none);
}

rts_status rts_place_pin(int32_t cpu)
{
    return rts_system_pin_self(cpu);
}

uint32_t rts_place_cpu_count(void)
{
    return rts_system_cpu_count();
}

rts_status rts_place_cpu(int32_t wanted, int32_t *actual)
{
    return rts_system_cpu_resolve(wanted, actual);
}

uint64_t rts_place_cpu_ns(void)
{
    struct timespec used;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) != 0) {
        return 0;
    }
    return (uint64_t)used.tv_sec * RTS_NS_PER_S + (uint64_t)used.tv_nsec;
}

bool rts_place_locked(void)
{
    char value[32];
    return rts_linux_field("/proc/self/status", "VmLck", value, sizeof value) && strtoull(value, NULL, 10) > 0;
}

void rts_place_claim_granted(void)
{
    rts_system_claim_granted();
}

void rts_place_die_with_parent(long parent)
{
    (void)rts_system_die_with(parent > 0 ? (pid_t)parent : getppid());
}

rts_status rts_place_programs(void)
{
    return RTS_OK;
}

rts_status rts_place_program_start(struct rts_thread *thread, void (*main)(void *thread))
{
    const pid_t engine = getpid();
    const pid_t made = fork();
    if (made == 0) {
        /* Ctrl-C is for the engine, which ends its programs in order. */
        if (signal(SIGINT, SIG_IGN) == SIG_ERR || signal(SIGTERM, SIG_DFL) == SIG_ERR ||
            rts_system_die_with(engine) != RTS_OK) {
            _exit(RTS_FAILED);
        }
        thread->process = getpid(); /* the maker may not have come to store it */
        main(thread);
        _exit(RTS_OK);
    }
    if (made < 0) {
        return rts_system_status(errno);
    }
    thread->process = made;
    return RTS_OK;
}

rts_status rts_place_program_join(struct rts_thread *thread)
{
    return rts_system_process_join((pid_t)thread->process);
}

void *rts_place_memory(size_t bytes)
{
    return rts_system_shared_memory(bytes);
}

rts_status rts_place_traffic(void)
{
    return rts_system_traffic();
}

void rts_place_describe(rts_fact_fn fact, void *arg)
{
    struct utsname names;
    if (uname(&names) >= 0) {
        fact(arg, "kernel.sysname", names.sysname);
        fact(arg, "kernel.release", names.release);
        fact(arg, "kernel.version", names.version);
        fact(arg, "kernel.machine", names.machine);
    }
    rts_system_describe(fact, arg);
}
