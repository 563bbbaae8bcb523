/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * On Linux the network's interrupt threads.
 */
#include "interrupt_threads.h"
#include "network_threads.h"

const char ioc_network_threads_need[] = RTS_INTERRUPT_THREADS_NEED;

bool ioc_network_threads_there(void)
{
    return rts_interrupt_threads_there();
}

unsigned ioc_network_threads_raise(void)
{
    return rts_interrupt_threads_raise();
}

void ioc_network_threads_restore(void)
{
    rts_interrupt_threads_restore();
}

void ioc_network_threads_achieved(rts_load_fact_fn fact, void *arg)
{
    rts_interrupt_threads_achieved(fact, arg);
}
