/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The hooks of the port contract that the board answers in an image that holds nothing but the engine: facts, console, plan, memory.
 */
#include <string.h>

#include "board_hooks.h"

#ifndef RTS_BOARD_BUILD_FLAGS
#define RTS_BOARD_BUILD_FLAGS ""
#endif

void board_fact_number(rts_fact_fn fact, void *arg, const char *key, uint64_t number)
{
    char text[21];
    char *at = text + sizeof text - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + (char)(number % 10u));
        number /= 10u;
    } while (number != 0);
    fact(arg, key, at);
}

void rts_port_describe(rts_fact_fn fact, void *arg)
{
    rts_kernel_describe(fact, arg);
    fact(arg, "board", BOARD_NAME);
    fact(arg, "board.machine", BOARD_MACHINE);
    fact(arg, "cpu.model", BOARD_CPU);
    fact(arg, "cpu.count", "1");
    fact(arg, "compiler", "gcc " __VERSION__);
    fact(arg, "compiler.flags", RTS_BOARD_BUILD_FLAGS);
    fact(arg, "timer", BOARD_TIMER_NAME);
    fact(arg, "timer.priority", BOARD_TIMER_PRIORITY);
    fact(arg, "unit", "instruction-time: the emulator advances the clock by a constant an instruction");
    fact(arg, "board.instructions_per_second", BOARD_INSTRUCTIONS_PER_SECOND);
    board_fact_number(fact, arg, "memory.run_bytes", BOARD_MEMORY_BYTES);
}

/* ---- bytes in and out ----------------------------------------------------------------------------------------- */

rts_status rts_port_console_write(const char *bytes, size_t count)
{
    board_console_write(bytes, count);
    return RTS_OK;
}

long rts_port_plan_read(char *buffer, size_t room)
{
    /* Memory that the emulator did not fill is zero, so the first zero byte ends the plan. */
    static const char *next = (const char *)BOARD_PLAN_ADDRESS;
    const char *const end = (const char *)(BOARD_PLAN_ADDRESS + BOARD_PLAN_ROOM);
    size_t count = 0;
    while (count < room && next < end && *next != '\0') {
        buffer[count++] = *next++;
    }
    return (long)count;
}

bool rts_port_interrupted(void)
{
    return false; /* the host ends the emulator */
}

static void say(const char *text)
{
    size_t count = 0;
    while (text[count] != '\0') {
        count++;
    }
    board_console_write(text, count);
}

_Noreturn void rts_port_fatal(const char *why)
{
    say("rtstone: fatal: ");
    say(why);
    say("\n");
    board_power_off(true);
}

static void say_hex(uint64_t value)
{
    char text[] = " 0x0000000000000000";
    for (size_t i = sizeof text - 2; i > 2; i--) {
        text[i] = "0123456789abcdef"[value & 15u];
        value >>= 4;
    }
    say(text);
}

_Noreturn void board_fault(const char *what, uint64_t first, uint64_t second, uint64_t third)
{
    say("rtstone: fault: ");
    say(what);
    say_hex(first);
    say_hex(second);
    say_hex(third);
    say("\n");
    board_power_off(true);
}

/* ---- memory --------------------------------------------------------------------------------------------------- */

void *rts_port_memory(size_t bytes)
{
    /* Not cleared at reset, which would cost seconds of a slow board: only what is asked for is. */
    static _Alignas(16) unsigned char memory[BOARD_MEMORY_BYTES] __attribute__((section(".bss.noinit")));
    if (bytes > sizeof memory) {
        return NULL;
    }
    memset(memory, 0, bytes);
    return memory;
}
