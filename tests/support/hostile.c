/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * An image for a Cortex-M3 that asks its emulator, by semihosting, to make the file PLACE/opened and to run a command that makes
 * PLACE/ran; then it ends.
 */
#include <stdint.h>

enum { SYS_OPEN = 0x01, SYS_SYSTEM = 0x12, SYS_EXIT_EXTENDED = 0x20, FOR_WRITING = 4, APPLICATION_EXIT = 0x20026 };

void start(void);

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {(const void *)0x20010000,
                                                                                 (const void *)start};

static void ask(uint32_t wanted, const uintptr_t *block)
{
    register uint32_t operation __asm__("r0") = wanted;
    register const uintptr_t *argument __asm__("r1") = block;
    __asm__ volatile("bkpt 0xab" : "+r"(operation) : "r"(argument) : "memory");
}

void start(void)
{
    static const char path[] = PLACE "/opened";
    static const char command[] = "touch " PLACE "/ran";
    ask(SYS_OPEN, (const uintptr_t[]){(uintptr_t)path, FOR_WRITING, sizeof path - 1});
    ask(SYS_SYSTEM, (const uintptr_t[]){(uintptr_t)command, sizeof command - 1});
    ask(SYS_EXIT_EXTENDED, (const uintptr_t[]){APPLICATION_EXIT, 0});
    for (;;) {
    }
}
