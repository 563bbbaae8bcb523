/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The network device that leads to the host: its address, the port that the host forwards, and the number of its interrupts.
 */
#include <bsp.h>
#include <bsp/irq.h>
#include <libcpu/arm-cp15.h>
#include <rtems/bsd/bsd.h>
#include <rtems/irq-extension.h>
#include <sysexits.h>

#include "board.h"
#include "ioc.h"
#include "load/place_rtems.h"

/* As board.toml has them. */
#define DEVICE "cgem0"
#define ADDRESS "10.87.3.15"
#define HOST "10.87.3.2" /* a gateway is needed: libbsd's function sets a route to it */
#define PORT_ADDRESS (BOARD_PLAN_ADDRESS + BOARD_PLAN_ROOM)

static unsigned port;

const char *link_address(void)
{
    return ADDRESS;
}

unsigned link_port(void)
{
    return port;
}

static void count(void *unused)
{
    (void)unused;
    (void)atomic_fetch_add_explicit(&ioc_network_interrupts, 1u, memory_order_relaxed);
}

bool link_start(const char **why)
{
    /* RTEMS does not map this memory. */
    (void)arm_cp15_set_translation_table_entries(
        (void *)(uintptr_t)PORT_ADDRESS, (void *)(uintptr_t)(PORT_ADDRESS + sizeof(uint32_t)), ARMV7_MMU_READ_ONLY);
    port = *board_register32(PORT_ADDRESS);
    *why = "the emulator gave it no port of the host";
    if (port == 0 || port > UINT16_MAX) {
        return false;
    }
    *why = "the network device " DEVICE " gets no address";
    if (rtems_bsd_ifconfig(DEVICE, ADDRESS, "255.255.255.0", HOST) != EX_OK) {
        return false;
    }
    *why = "the interrupts of the network device " DEVICE " cannot be counted";
    return rtems_interrupt_set_priority(ZYNQ_IRQ_ETHERNET_0, BOARD_TRAFFIC_LEVEL) == RTEMS_SUCCESSFUL &&
           rtems_interrupt_handler_install(ZYNQ_IRQ_ETHERNET_0, "rtstone", RTEMS_INTERRUPT_SHARED, count, NULL) ==
               RTEMS_SUCCESSFUL;
}
