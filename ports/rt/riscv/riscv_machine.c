/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * rt on RISC-V in machine mode: the handling of exceptions, the moment at which a pended call is done, and an atomic operation on a byte.
 */
#include <rt/arch/msi.h>
#include <rt/arch/trap.h>

#include "../rt_port.h"

void rts_rt_pending_done(void)
{
    /* It is taken at once; the kernel's handler clears it before it does anything else. */
    while (*MSIP != 0) {
    }
}

/* ---- exceptions ------------------------------------------------------------------------------------------------ */

/** rt's entry has put the cause into t2. */
__attribute__((naked)) static void unexpected(void)
{
    __asm__ volatile("mv a0, t2\n\tcsrr a1, mepc\n\tcsrr a2, mtval\n\tj board_exception");
}

#define THREE unexpected, unexpected, unexpected
#define NINE THREE, THREE, THREE

void (*const rt_trap_vector[])(void) = {
    NINE, unexpected, unexpected, [RT_TRAP_ECALL_M] = rt_ecall_handler, NINE, NINE, unexpected, unexpected,
};
_Static_assert(sizeof rt_trap_vector / sizeof rt_trap_vector[0] == 32, "one for each cause that there is");

/* ---- what the compiler calls for an atomic byte, which the processor does not have ------------------------------- */

_Bool byte_compare_exchange(volatile void *at, void *expected, unsigned char desired, _Bool weak, int success,
                            int failure) __asm__("__atomic_compare_exchange_1");

_Bool byte_compare_exchange(volatile void *at, void *expected, unsigned char desired, _Bool weak, int success,
                            int failure)
{
    (void)weak;
    (void)success;
    (void)failure;
    unsigned char *const wanted = expected;
    const uint32_t shift = ((uintptr_t)at & 3u) * 8u;
    const uint32_t mask = UINT32_C(0xff) << shift;
    volatile uint32_t *const whole = (volatile uint32_t *)((uintptr_t)at & ~(uintptr_t)3u);
    uint32_t before = __atomic_load_n(whole, __ATOMIC_SEQ_CST);
    do {
        const unsigned char found = (unsigned char)(before >> shift);
        if (found != *wanted) {
            *wanted = found;
            return false;
        }
    } while (!__atomic_compare_exchange_n(whole, &before, (before & ~mask) | (uint32_t)desired << shift, true,
                                          __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return true;
}
