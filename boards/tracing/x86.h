/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What changes.c must know of x86-64 in order to follow the interrupt flag and a counter of the CPU: the instructions that change them,
 * and the guest's memory, where the values are.
 */
#ifndef RTSTONE_TRACING_X86_H
#define RTSTONE_TRACING_X86_H

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define INTERRUPT_FLAG (1u << 9)

enum flag_change {
    LEAVES_FLAG,
    CLEARS_FLAG,  /* cli */
    SETS_FLAG,    /* sti, and sysret: user space has interrupts on */
    PUSHES_FLAG,  /* pushf */
    POPS_FLAG,    /* popf */
    RETURNS_FLAG, /* iretq: the third of the five words that it pops */
};

static inline bool is_prefix(uint8_t byte)
{
    return memchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3", byte, 11) != NULL;
}

static inline bool is_rex(uint8_t byte)
{
    return (byte & 0xf0) == 0x40;
}

static inline enum flag_change flag_change(const uint8_t *code, size_t size)
{
    size_t at = 0;
    while (at + 1 < size && (is_prefix(code[at]) || is_rex(code[at]))) {
        at++;
    }
    switch (code[at]) {
    case 0xfa:
        return CLEARS_FLAG;
    case 0xfb:
        return SETS_FLAG;
    case 0x9c:
        return PUSHES_FLAG;
    case 0x9d:
        return POPS_FLAG;
    case 0xcf:
        return RETURNS_FLAG;
    case 0x0f:
        return at + 1 < size && code[at + 1] == 0x07 ? SETS_FLAG : LEAVES_FLAG;
    default:
        return LEAVES_FLAG;
    }
}

/* Whether the instruction has an operand at this offset from gs, absolute or relative to the next instruction. */
static inline bool is_at_gs(const uint8_t *code, size_t size, uint64_t address, uint64_t offset)
{
    bool gs = false;
    size_t at = 0;
    while (at < size && (is_prefix(code[at]) || is_rex(code[at]))) {
        gs = gs || code[at] == 0x65;
        at++;
    }
    if (at < size && code[at] == 0x0f) {
        at++;
    }
    at++; /* the operation */
    if (!gs || at >= size || (code[at] & 0xc0) != 0) {
        return false;
    }
    const bool relative = (code[at] & 7) == 5;
    if (!relative && ((code[at] & 7) != 4 || at + 1 >= size || code[at + 1] != 0x25)) {
        return false;
    }
    at += relative ? 1 : 2;
    int32_t distance = 0;
    if (at + sizeof distance > size) {
        return false;
    }
    memcpy(&distance, code + at, sizeof distance);
    return (relative ? address + size : 0) + (uint64_t)(int64_t)distance == offset;
}

/* Maps the emulator's own file of the guest's memory (-object memory-backend-memfd) once more; NULL: the emulator has no such file. */
static inline const uint8_t *map_guest(size_t *length)
{
    const uint8_t *mapped = NULL;
    DIR *const all = opendir("/proc/self/fd");
    const struct dirent *one;
    while (all != NULL && mapped == NULL && (one = readdir(all)) != NULL) {
        char target[64] = "";
        struct stat status;
        if (readlinkat(dirfd(all), one->d_name, target, sizeof target - 1) > 0 &&
            strncmp(target, "/memfd:memory-backend-memfd", 27) == 0) {
            const int memory = openat(dirfd(all), one->d_name, O_RDONLY | O_CLOEXEC);
            if (memory >= 0 && fstat(memory, &status) == 0) {
                void *const at = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, memory, 0);
                mapped = at == MAP_FAILED ? NULL : at;
                *length = (size_t)status.st_size;
            }
            if (memory >= 0) {
                (void)close(memory);
            }
        }
    }
    if (all != NULL) {
        (void)closedir(all);
    }
    return mapped;
}

#endif
