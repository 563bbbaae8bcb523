/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The riscv32 board's interrupts for a load: the supervisor's timer (Sstc), and a 16550 on the PCI bus in loopback.
 */
#include "board.h"
#include "rtstone_traffic.h"

#define PCI_CONFIGURATION 0x30000000u
#define PCI_IO 0x03000000u
#define BOARD_LINE_INTERRUPT BOARD_LINE_SOURCE
#include "pci_line.h"

/* ---- the second timer ----------------------------------------------------------------------------------------- */

#define ENABLE_STIMECMP 0x80000000u
#define STRINGIFY(word) #word
#define NAME(number) STRINGIFY(number)
/* The assembler does not know these by name. */
#define STIMECMP 0x14d
#define STIMECMPH 0x15d
#define MENVCFGH 0x31a

static struct {
    unsigned long long state;
    uint64_t mean;
    uint64_t due;
    uint8_t byte;
} timer;

static uint64_t now(void)
{
    uint32_t high;
    uint32_t low;
    uint32_t again;
    __asm__ volatile("1:\tcsrr %0, timeh\n\tcsrr %1, time\n\tcsrr %2, timeh\n\tbne %0, %2, 1b"
                     : "=&r"(high), "=&r"(low), "=&r"(again)
                     :
                     : "memory");
    return (uint64_t)high << 32 | low;
}

/** At a time that has passed it interrupts at once. */
static void timer_set(uint64_t due)
{
    __asm__ volatile("csrw " NAME(STIMECMPH) ", %0\n\t"
                                             "csrw " NAME(STIMECMP) ", %1\n\t"
                                                                    "csrw " NAME(STIMECMPH) ", %2"
                     :
                     : "r"(UINT32_MAX), "r"((uint32_t)due), "r"((uint32_t)(due >> 32))
                     : "memory");
}

bool board_traffic_start(uint32_t rate_hz, uint64_t seed)
{
    timer.state = rtstone_traffic_state(seed);
    timer.mean = BOARD_MTIME_HZ / rate_hz;
    timer.byte = 0;
    if (!line_open()) {
        return false;
    }
    __asm__ volatile("csrs " NAME(MENVCFGH) ", %0" : : "r"(ENABLE_STIMECMP) : "memory");
    timer.due = now() + rtstone_traffic_interval(&timer.state, timer.mean);
    timer_set(timer.due);
    __asm__ volatile("csrs mie, %0" : : "r"(1u << BOARD_CAUSE_SECOND_TIMER) : "memory");
    return true;
}

void board_second_timer_interrupt(void)
{
    timer.due += rtstone_traffic_interval(&timer.state, timer.mean);
    timer_set(timer.due);
    *line(DATA) = timer.byte;
    board_traffic_interrupt(BOARD_TRAFFIC_TIMER);
    board_traffic_event(BOARD_TRAFFIC_TIMER, timer.byte);
    timer.byte++;
    board_expiry_done();
}

void board_traffic_quiet(void)
{
    __asm__ volatile("csrc mie, %0" : : "r"(1u << BOARD_CAUSE_SECOND_TIMER) : "memory");
    timer_set(UINT64_MAX);
}

void board_traffic_stop(void)
{
    *line(ENABLE) = 0;
    *line(MODEM) = 0;
}
