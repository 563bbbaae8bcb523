/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * CPUs by number, as plans name them.
 */
#include "posix.h"

uint32_t rts_port_cpu_count(void)
{
    return rts_system_cpu_count();
}

rts_status rts_port_cpu_resolve(int32_t wanted, int32_t *actual)
{
    return rts_system_cpu_resolve(wanted, actual);
}
