/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What RTEMS reports: it has no processes, so these are figures of the whole image. CPU time is all but that of the idle tasks, memory is the heap.
 */
#include <rtems.h>
#include <rtems/libio_.h>
#include <rtems/malloc.h>
#include <rtems/score/threadimpl.h>

#include "health.h"

static bool add_idle(rtems_tcb *thread, void *idle_ns)
{
    if (rtems_object_id_get_api(thread->Object.id) == OBJECTS_INTERNAL_API) { /* idle tasks, and no other */
        const Timestamp_Control used = _Thread_Get_CPU_time_used(thread);
        *(uint64_t *)idle_ns += _Timestamp_Get_as_nanoseconds(&used);
    }
    return false;
}

double health_cpu_s(void)
{
    uint64_t idle_ns = 0;
    rtems_task_iterate(add_idle, &idle_ns);
    const double all_s = 1e-9 * (double)rtems_clock_get_uptime_nanoseconds() * rtems_scheduler_get_processor_maximum();
    return all_s - 1e-9 * (double)idle_ns;
}

double health_memory_kb(void)
{
    /* The heap's own account: walking it, as malloc_info does, would hold up whoever allocates. */
    const Heap_Statistics *const heap = &RTEMS_Malloc_Heap->stats;
    return (double)(heap->size - heap->free_size) / 1024.0;
}

double health_open_files(void)
{
    double count = 0.0;
    for (uint32_t i = 0; i < rtems_libio_number_iops; i++) {
        count += (rtems_libio_iop_flags(&rtems_libio_iops[i]) & LIBIO_FLAGS_OPEN) != 0;
    }
    return count;
}

double health_most_files(void)
{
    return rtems_libio_number_iops;
}
