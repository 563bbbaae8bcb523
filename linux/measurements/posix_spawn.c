/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Process creation by posix_spawn(3): a new program, of one page, which ends at once. This file creates it, in a file in memory: to map and read
 * a larger program would be another measurement.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../system.h"
#include "birth.h"
#include "common/state.h"

#define PAGE 4096u
#define PLACE 0x400000u

#if defined(__x86_64__)
#define MACHINE EM_X86_64
static const unsigned char code[] = {0xbf, RTS_BIRTH_CODE,
                                     0,    0,
                                     0, /* mov edi, 42 */
                                     0xb8, 60,
                                     0,    0,
                                     0,           /* mov eax, SYS_exit */
                                     0x0f, 0x05}; /* syscall */
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
static const unsigned char code[] = {0x40, 0x05, 0x80, 0xd2,  /* mov x0, 42 */
                                     0xa8, 0x0b, 0x80, 0xd2,  /* mov x8, SYS_exit */
                                     0x01, 0x00, 0x00, 0xd4}; /* svc 0 */
#else
#define MACHINE EM_NONE
static const unsigned char code[] = {0};
#endif

typedef struct state {
    rts_birth_state birth;
    int file; /**< 0: none */
    char path[32];
} state;

RTS_STATE_FITS(state);

/** A static program of one segment: its headers and its code. */
typedef struct program {
    Elf64_Ehdr head;
    Elf64_Phdr segment;
    unsigned char code[sizeof code];
    unsigned char rest[PAGE - sizeof(Elf64_Ehdr) - sizeof(Elf64_Phdr) - sizeof code];
} program;

static rts_status write_program(int file)
{
    program made = {
        .head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                 .e_type = ET_EXEC,
                 .e_machine = MACHINE,
                 .e_version = EV_CURRENT,
                 .e_entry = PLACE + offsetof(program, code),
                 .e_phoff = offsetof(program, segment),
                 .e_ehsize = sizeof(Elf64_Ehdr),
                 .e_phentsize = sizeof(Elf64_Phdr),
                 .e_phnum = 1},
        .segment = {.p_type = PT_LOAD,
                    .p_flags = PF_R | PF_X,
                    .p_vaddr = PLACE,
                    .p_paddr = PLACE,
                    .p_filesz = sizeof(program),
                    .p_memsz = sizeof(program),
                    .p_align = PAGE},
    };
    memcpy(made.code, code, sizeof code);
    return write(file, &made, sizeof made) == (ssize_t)sizeof made ? RTS_OK : RTS_FAILED;
}

/* The kernel does not run a file that is open for writing, so the program is reopened for reading. */
static rts_status make_program(state *own)
{
    const int made = memfd_create("rtstone-ends-at-once", MFD_CLOEXEC);
    if (made < 0) {
        return rts_system_status(errno);
    }
    char path[sizeof own->path];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", made);
    const rts_status status = write_program(made);
    own->file = status == RTS_OK ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    const int error = errno;
    (void)close(made);
    if (own->file < 0) {
        own->file = 0;
        return status != RTS_OK ? status : rts_system_status(error);
    }
    (void)snprintf(own->path, sizeof own->path, "/proc/self/fd/%d", own->file);
    return RTS_OK;
}

static pid_t bear(rts_run *run)
{
    const state *own = rts_run_state(run);
    static char name[] = "ends-at-once";
    char *const words[] = {name, NULL};
    char *const environment[] = {NULL};
    pid_t child = -1;
    const int error = posix_spawn(&child, own->path, NULL, NULL, words, environment);
    if (error != 0) {
        errno = error;
        return -1;
    }
    return child;
}

static rts_status setup(rts_run *run)
{
    state *own = rts_run_state(run);
    if (MACHINE == EM_NONE) {
        rts_run_why(run, "there is no program that ends at once for this kind of CPU");
        return RTS_UNSUPPORTED;
    }
    const rts_status status = make_program(own);
    if (status != RTS_OK) {
        rts_run_why(run, "a program in memory, which is to be spawned, cannot be made");
        return status;
    }
    return rts_birth_setup(run, bear);
}

static void teardown(rts_run *run)
{
    const state *own = rts_run_state(run);
    const int file = own->file;
    rts_birth_teardown(run);
    if (file > 0) {
        (void)close(file);
    }
}

const rts_measurement rts_measurement_posix_spawn = {
    .name = "posix-spawn",
    .meaning = 2,
    .summary = "Linux only: the same by posix_spawn, the child being a new program of one page, which ends at once",
    .series = {"posix-spawn"},
    .services = 1u << RTS_SERVICE_PROCESSES | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup,
    .batch = rts_birth_batch,
    .single = rts_birth_single,
    .teardown = teardown,
};
