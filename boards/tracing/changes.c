/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A QEMU plugin: records, with the number of the instruction, each time that a guest goes on in another function, and each
 * reading of the counter. On x86-64 also when interrupts and preemption go off and on. It costs the guest nothing: the same bytes run
 * with it and without it.
 *
 * Arguments: symbols=<file> (a hexadecimal address a line, ascending; the line's number, from 0, is the function's; "off" behind it: an
 * interrupt or exception enters there), preemption=<hex> (follows interrupts and Linux's preemption counter, at that offset from gs; the
 * emulator needs its memory in a memory-backend-memfd), from=<hex> (begins
 * each time that this address is executed), until=<hex> (stops there), load=<hex> (a load from this address reads the counter),
 * instruction=<hex> (so does this instruction, or the same under mask=<hex>), fault=<hex> (here the CPU goes on when an instruction
 * could not reach its memory, and it does that one again later), all up to PLACES times but the mask, kernel=high where user space lies in
 * the lower half of the addresses and has no names, after=<number> and before=<number> (instead of from= and until=: begins and stops once
 * so many instructions were executed), out=<file>: records of two 64-bit words: instructions executed before, and the event (below).
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"
#include "x86.h"

/* What a record's second word says: a function's number, or one of these. */
#define USER 0xfffffffeu /* user space: it has no names here */
#define COUNTER_READING 0xfffffffdu
#define NOWHERE 0xffffffffu
#define INTERRUPTS_OFF 0xfffffffcu
#define INTERRUPTS_ON 0xfffffffbu
#define PREEMPTION_OFF 0xfffffffau
#define PREEMPTION_ON 0xfffffff9u
#define NOT_FOLLOWED 0xfffffff8u /* the guest's memory holds another flag or counter than the one that was followed */
/* Beside a function's number: it begins there. Without it, the guest comes back to it, or was interrupted in it. */
#define AT_ITS_BEGINNING (UINT64_C(1) << 32)

enum { PLACES = 16 };
typedef struct places {
    uint64_t at[PLACES];
    size_t count;
} places;
static places from;
static places until;
static places loads;
static places instructions;
static places faults;
static uint64_t block_began; /* executed before the block of instructions that is under way */
static uint64_t block_whole; /* so many executed say that none of them failed */
static uint32_t mask = UINT32_MAX;
static bool kernel_is_high;
static bool begun;
static uint64_t now_in = NOWHERE;
static uint64_t *addresses;
static size_t address_count;
static uint64_t *words; /* two a function: gone on in, begun */
static bool *enters;    /* of a function: an interrupt or exception enters there */
static FILE *out;
static uint64_t after;
static uint64_t before_this;

#if PLUGIN_API == 1
static uint64_t executed;

static void count(struct qemu_plugin_insn *insn)
{
    qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, &executed, 1);
}

static void read_code(const struct qemu_plugin_insn *insn, void *to, size_t length)
{
    memcpy(to, qemu_plugin_insn_data(insn), length);
}

static void prepare_count(qemu_plugin_id_t id)
{
    (void)id;
}
#else
static qemu_plugin_u64 counter;
static uint64_t *counted;
#define executed (*counted)

static void count(struct qemu_plugin_insn *insn)
{
    qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_ADD_U64, counter, 1);
}

static void read_code(const struct qemu_plugin_insn *insn, void *to, size_t length)
{
    (void)qemu_plugin_insn_data(insn, to, length);
}

static void started(qemu_plugin_id_t id, unsigned vcpu)
{
    (void)id;
    counted = qemu_plugin_scoreboard_find(counter.score, vcpu);
}

static void prepare_count(qemu_plugin_id_t id)
{
    counter.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
    qemu_plugin_register_vcpu_init_cb(id, started);
}
#endif

static bool is_wanted(void)
{
    return before_this == 0 ? begun : executed >= after && executed < before_this;
}

static void put_at(uint64_t when, uint64_t what)
{
    const uint64_t record[2] = {when, what};
    fwrite(record, sizeof record, 1, out);
}

static void put(uint64_t what)
{
    put_at(executed, what);
}

static uint64_t function_at(uint64_t address)
{
    if (kernel_is_high && address >> 63 == 0) {
        return USER;
    }
    size_t low = 0;
    size_t high = address_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (addresses[middle] <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? NOWHERE : low - 1;
}

static void enter(unsigned vcpu, void *userdata)
{
    const uint64_t told = *(const uint64_t *)userdata;
    const uint64_t function = told & NOWHERE;
    (void)vcpu;
    if (function != now_in && is_wanted()) {
        now_in = function;
        put(told);
    }
}

/* x86's interrupt flag and preemption counter. */
#define NO_NEED_RESCHED 0x80000000u /* in the counter: no task is due */
static bool follows;
static uint64_t counter_offset;
static bool interrupts_on;
static uint64_t frame;               /* of an iretq that is under way: where it pops from */
static uint64_t counter_at;          /* 0: not written yet */
static const uint8_t *counter_place; /* in the guest's memory */
static uint32_t counter_value;

/* Where a word that the guest has just read or written is; NULL: not in its memory. */
static const uint8_t *place_of(uint32_t info, uint64_t address)
{
    static const uint8_t *guest;
    static size_t length;
    const struct qemu_plugin_hwaddr *const at = qemu_plugin_get_hwaddr(info, address);
    if (guest == NULL) {
        guest = map_guest(&length);
    }
    if (guest == NULL || at == NULL || qemu_plugin_hwaddr_is_io(at)) {
        return NULL;
    }
    const uint64_t physical = qemu_plugin_hwaddr_phys_addr(at);
    return physical + sizeof(uint64_t) <= length ? guest + physical : NULL;
}

static uint32_t word_at(const uint8_t *place)
{
    uint32_t word = 0;
    memcpy(&word, place, sizeof word);
    return word;
}

static void tell(uint64_t when, uint64_t what)
{
    if (is_wanted()) {
        put_at(when, what);
    }
}

static uint64_t preemption(void)
{
    return (counter_value & ~NO_NEED_RESCHED) != 0 ? PREEMPTION_OFF : PREEMPTION_ON;
}

static void turn(uint64_t when, bool on)
{
    if (on != interrupts_on) {
        interrupts_on = on;
        tell(when, on ? INTERRUPTS_ON : INTERRUPTS_OFF);
    }
    if (counter_place != NULL && word_at(counter_place) != counter_value) {
        tell(when, NOT_FOLLOWED);
    }
}

static void enter_with_interrupts_off(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    turn(executed, false);
}

/* Runs before the instruction, and records the state after it. */
static void cleared_or_set(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    turn(executed + 1, userdata != NULL);
}

static void return_begins(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    frame = 0;
}

/* The flags on the stack, popped by popf, by iretq or pushed: `userdata` is the enum flag_change. */
static void stacked(unsigned vcpu, uint32_t info, uint64_t address, void *userdata)
{
    const enum flag_change change = (enum flag_change)(uintptr_t)userdata;
    (void)vcpu;
    if (frame == 0) {
        frame = address;
    }
    if (change == RETURNS_FLAG && address != frame + 2 * sizeof(uint64_t)) {
        return;
    }
    const uint8_t *const place = place_of(info, address);
    const bool on = place != NULL && (word_at(place) & INTERRUPT_FLAG) != 0;
    if (place == NULL || (change == PUSHES_FLAG && on != interrupts_on)) {
        tell(executed, NOT_FOLLOWED);
    } else {
        turn(executed, on);
    }
}

static void counter_written(unsigned vcpu, uint32_t info, uint64_t address, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    if (address != counter_at) { /* the kernel moves it once, at its start */
        counter_at = address;
        counter_place = place_of(info, address);
    }
    if (counter_place == NULL) {
        tell(executed, NOT_FOLLOWED);
        return;
    }
    const uint64_t before = preemption();
    counter_value = word_at(counter_place);
    if (preemption() != before) {
        tell(executed, preemption());
    }
}

static void follow(struct qemu_plugin_insn *insn, uint64_t address, const uint8_t *code, size_t size)
{
    const enum flag_change change = flag_change(code, size);
    if (change == CLEARS_FLAG || change == SETS_FLAG) {
        qemu_plugin_register_vcpu_insn_exec_cb(insn, cleared_or_set, 0, change == SETS_FLAG ? &interrupts_on : NULL);
    } else if (change != LEAVES_FLAG) {
        qemu_plugin_register_vcpu_insn_exec_cb(insn, return_begins, 0, NULL);
        qemu_plugin_register_vcpu_mem_cb(
            insn, stacked, 0, change == PUSHES_FLAG ? QEMU_PLUGIN_MEM_W : QEMU_PLUGIN_MEM_R, (void *)(uintptr_t)change);
    } else if (is_at_gs(code, size, address, counter_offset)) {
        qemu_plugin_register_vcpu_mem_cb(insn, counter_written, 0, QEMU_PLUGIN_MEM_W, NULL);
    }
}

static void begin(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    if (follows && !begun) {
        put(interrupts_on ? INTERRUPTS_ON : INTERRUPTS_OFF);
        put(preemption());
    }
    begun = true;
}

static void begin_block(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    block_began = executed;
    block_whole = (uintptr_t)userdata;
}

/* Where a block was left before its end, its last instruction failed. Where it came to its end, the next one could not be fetched. */
static void fault(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    if (executed - block_began < block_whole) {
        executed--;
    }
}

static bool is_one_of(const places *of, uint64_t address)
{
    for (size_t i = 0; i < of->count; i++) {
        if (of->at[i] == address) {
            return true;
        }
    }
    return false;
}

static bool add(places *to, const char *word)
{
    if (to->count == PLACES) {
        return false;
    }
    to->at[to->count++] = strtoull(word, NULL, 16);
    return true;
}

static void stop(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    begun = false;
    now_in = NOWHERE;
}

static void read_counter(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    if (is_wanted()) {
        put(COUNTER_READING);
    }
}

static void loaded(unsigned vcpu, uint32_t info, uint64_t address, void *userdata)
{
    (void)info;
    if (is_one_of(&loads, address)) {
        read_counter(vcpu, userdata);
    }
}

/* A record's second word for a function, kept where a callback may read it. */
static uint64_t *word_of(uint64_t function, bool begins)
{
    static uint64_t elsewhere[2] = {USER, NOWHERE};
    return function < address_count ? &words[2 * function + (begins ? 1 : 0)] : &elsewhere[function == USER ? 0 : 1];
}

/* x86's movs, cmps, stos, lods and scas with a prefix that repeats them: each time is one, and ends a block. */
static bool repeats(const uint8_t *code, size_t size)
{
    const uint8_t operation = code[size - 1];
    return (code[0] == 0xf2 || code[0] == 0xf3) && operation >= 0xa4 && operation <= 0xaf && (operation | 1) != 0xa9;
}

/* What block_whole is for a block. */
static uintptr_t whole(const struct qemu_plugin_tb *tb)
{
    const size_t instructions_in = qemu_plugin_tb_n_insns(tb);
    const struct qemu_plugin_insn *const last = qemu_plugin_tb_get_insn(tb, instructions_in - 1);
    uint8_t code[16] = {0};
    const size_t size = qemu_plugin_insn_size(last) < sizeof code ? qemu_plugin_insn_size(last) : sizeof code;
    read_code(last, code, size);
    return instructions_in + (repeats(code, size) ? 1 : 0);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    uint64_t before = NOWHERE;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *const insn = qemu_plugin_tb_get_insn(tb, i);
        const uint64_t address = qemu_plugin_insn_vaddr(insn);
        const size_t size = qemu_plugin_insn_size(insn);
        uint8_t bytes[16] = {0};
        uint32_t code = 0;
        read_code(insn, bytes, size < sizeof bytes ? size : sizeof bytes);
        memcpy(&code, bytes, sizeof code);
        if (is_one_of(&faults, address)) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, fault, 0, NULL);
        }
        if (i == 0 && faults.count > 0) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, begin_block, 0, (void *)whole(tb));
        }
        if (is_one_of(&from, address)) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, begin, 0, NULL);
        } else if (is_one_of(&until, address)) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, stop, 0, NULL);
        }
        const uint64_t function = function_at(address);
        if (i == 0 || function != before) {
            const bool begins = function < address_count && addresses[function] == address;
            qemu_plugin_register_vcpu_insn_exec_cb(insn, enter, 0, word_of(function, begins));
            before = function;
            if (follows && function < address_count && enters[function]) {
                qemu_plugin_register_vcpu_insn_exec_cb(insn, enter_with_interrupts_off, 0, NULL);
            }
        }
        if (follows && address >> 63 != 0) {
            follow(insn, address, bytes, size);
        }
        if (is_one_of(&instructions, code & mask)) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, read_counter, 0, NULL);
        }
        if (loads.count > 0) {
            qemu_plugin_register_vcpu_mem_cb(insn, loaded, 0, QEMU_PLUGIN_MEM_RW, NULL);
        }
        count(insn);
    }
}

static void ended(qemu_plugin_id_t id, void *userdata)
{
    (void)id;
    (void)userdata;
    fclose(out);
}

static bool number_functions(void)
{
    words = calloc(address_count, 2 * sizeof *words);
    if (words == NULL) {
        return false;
    }
    for (size_t function = 0; function < address_count; function++) {
        words[2 * function] = function;
        words[2 * function + 1] = function | AT_ITS_BEGINNING;
    }
    return true;
}

static bool read_symbols(const char *path)
{
    FILE *const file = fopen(path, "r");
    size_t room = 0;
    char line[32];
    if (file == NULL) {
        return false;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        if (address_count == room) {
            room = room == 0 ? 1u << 16 : 2 * room;
            addresses = realloc(addresses, room * sizeof *addresses);
            enters = realloc(enters, room * sizeof *enters);
            if (addresses == NULL || enters == NULL) {
                abort();
            }
        }
        enters[address_count] = strstr(line, " off") != NULL;
        addresses[address_count++] = strtoull(line, NULL, 16);
    }
    return fclose(file) == 0 && address_count > 0 && number_functions();
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv)
{
    bool known = true;
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "symbols=", 8) == 0) {
            known = read_symbols(argv[i] + 8) && known;
        } else if (strncmp(argv[i], "from=", 5) == 0) {
            known = add(&from, argv[i] + 5) && known;
        } else if (strncmp(argv[i], "until=", 6) == 0) {
            known = add(&until, argv[i] + 6) && known;
        } else if (strncmp(argv[i], "load=", 5) == 0) {
            known = add(&loads, argv[i] + 5) && known;
        } else if (strncmp(argv[i], "instruction=", 12) == 0) {
            known = add(&instructions, argv[i] + 12) && known;
        } else if (strncmp(argv[i], "preemption=", 11) == 0) {
            counter_offset = strtoull(argv[i] + 11, NULL, 16);
            follows = true;
        } else if (strncmp(argv[i], "fault=", 6) == 0) {
            known = add(&faults, argv[i] + 6) && known;
        } else if (strncmp(argv[i], "after=", 6) == 0) {
            after = strtoull(argv[i] + 6, NULL, 10);
        } else if (strncmp(argv[i], "before=", 7) == 0) {
            before_this = strtoull(argv[i] + 7, NULL, 10);
        } else if (strncmp(argv[i], "mask=", 5) == 0) {
            mask = (uint32_t)strtoul(argv[i] + 5, NULL, 16);
        } else if (strcmp(argv[i], "kernel=high") == 0) {
            kernel_is_high = true;
        } else if (strncmp(argv[i], "out=", 4) == 0) {
            out = fopen(argv[i] + 4, "wb");
        }
    }
    if (!known || words == NULL || out == NULL) {
        return 1;
    }
    prepare_count(id);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
