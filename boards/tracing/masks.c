/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A QEMU plugin: records, with the number of the instruction, when an unmodified arm64 Linux masks interrupts, changes the current task's
 * preemption counter, takes an interrupt and goes to another task. It costs the guest nothing: the same bytes run with it and without
 * it. One CPU.
 *
 * Arguments: count=<offset of thread_info.preempt_count in task_struct> and flags=<of thread_info.flags>, from=<hex> (begins at the first
 * execution of one of these addresses), entry=<hex> (its execution is an event), acknowledge=<hex>-<hex> (a range of code that reads the
 * interrupt controller's IAR), each up to PLACES times, out=<file>: records of four 64-bit words: instructions executed before, what
 * (below) and where, an argument, and x30, the place to which the function there will return.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

/* Version 4 has these besides. */
struct qemu_plugin_register;
/* GLib's: the emulator has it loaded. */
typedef struct {
    char *data;
    unsigned len;
} GArray;
typedef struct {
    uint8_t *data;
    unsigned len;
} GByteArray;
typedef struct {
    struct qemu_plugin_register *handle;
    const char *name;
    const char *feature;
} qemu_plugin_reg_descriptor;
typedef struct {
    int type;
    union {
        uint32_t u32;
        struct {
            uint64_t low, high;
        } u128;
    } data;
} qemu_plugin_mem_value;
enum qemu_plugin_cond { QEMU_PLUGIN_COND_NE = 3 };

GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_set_size(GByteArray *array, unsigned length);
void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb_t cb,
                                               enum qemu_plugin_cb_flags flags, enum qemu_plugin_cond cond,
                                               qemu_plugin_u64 entry, uint64_t imm, void *userdata);
qemu_plugin_mem_value qemu_plugin_mem_get_value(qemu_plugin_meminfo_t info);
GArray *qemu_plugin_get_registers(void);
int qemu_plugin_read_register(struct qemu_plugin_register *handle, GByteArray *to);
bool qemu_plugin_read_memory_vaddr(uint64_t address, GByteArray *to, size_t length);

/* What happened; the argument of each. */
enum event {
    MASKED = 1,   /* interrupts went off */
    UNMASKED,     /* they came on: the current task's thread_info.flags */
    COUNTED,      /* preempt_count: flags << 32 | count */
    VECTOR,       /* an exception: its offset in the table of vectors */
    TASK,         /* another task is current: its address */
    ENTRY,        /* an address of entry=: x0 */
    CLOCK,        /* the counter was read: its value */
    ACKNOWLEDGED, /* the interrupt's number, read from the controller */
    DIFFERS       /* memory holds another preempt_count than the stores that were seen: the one in memory */
};

/* Instructions (Arm ARM C6.2): a mask, and the value of the masked bits. */
#define IS(code, mask, value) (((code) & (mask)) == (value))
#define IS_DAIF_IMMEDIATE(code) IS(code, 0xfffff0dfu, 0xd50340dfu) /* msr daifset, #n; msr daifclr, #n */
#define IS_DAIF_REGISTER(code) IS(code, 0xffffffe0u, 0xd51b4220u)  /* msr daif, xN */
#define IS_SP_EL0_WRITE(code) IS(code, 0xffffffe0u, 0xd5184100u)   /* msr sp_el0, xN: Linux's current task */
#define IS_VBAR_WRITE(code) IS(code, 0xffffffe0u, 0xd518c000u)     /* msr vbar_el1, xN */
#define IS_COUNTER_READ(code) (IS(code, 0xffffffe0u, 0xd53be020u) || IS(code, 0xffffffe0u, 0xd53be040u))
#define IS_ERET(code) ((code) == 0xd69f03e0u)
#define IS_STORE_WORD(code, offset) IS(code, 0xfffffc00u, 0xb9000000u | (uint32_t)((offset) / 4) << 10)
#define TARGET_REGISTER(code) ((code)&31u)

#define IRQ_MASK_BIT 7u
#define VECTOR_ALIGN 0x80u
#define VECTOR_TABLE 0x7ffu
#define IAR 0xcu
#define ADDRESS UINT64_C(0xffffffffffffff)

/* Why the state is checked at the beginning of the next block: it may have changed, or the counter was read into x(pending - CLOCK_READ). */
enum { CHANGED = 1, CLOCK_READ = 32 };
typedef struct {
    uint64_t executed;
    uint64_t pending;
} cpu_state;

enum { PLACES = 32, REGISTERS = 31, LINK = 30 };
typedef struct {
    uint64_t at[PLACES];
    uint64_t end[PLACES];
    size_t count;
} places;

static struct qemu_plugin_scoreboard *score;
static cpu_state *cpu;
static qemu_plugin_u64 executed;
static qemu_plugin_u64 pending;
static struct qemu_plugin_register *x[REGISTERS];
static struct qemu_plugin_register *cpsr;
static struct qemu_plugin_register *sp_el0;
static struct qemu_plugin_register *vbar;
static GByteArray *buffer;
static FILE *out;
static places from;
static places entries;
static places acknowledge;
static uint64_t count_offset;
static uint64_t flags_offset;
static uint64_t vectors;
static uint64_t current;
static uint32_t count;
static bool masked;
static bool begun;

static uint64_t in_register(struct qemu_plugin_register *which)
{
    uint64_t value = 0;
    (void)g_byte_array_set_size(buffer, 0);
    const int length = qemu_plugin_read_register(which, buffer);
    if (length > 0) {
        memcpy(&value, buffer->data, (size_t)length < sizeof value ? (size_t)length : sizeof value);
    }
    return value;
}

static uint64_t in_memory(uint64_t address, size_t length)
{
    uint64_t value = 0;
    (void)g_byte_array_set_size(buffer, 0);
    if (qemu_plugin_read_memory_vaddr(address, buffer, length)) {
        memcpy(&value, buffer->data, length);
    }
    return value;
}

static void put(enum event kind, uint64_t at, uint64_t argument)
{
    if (begun) {
        const uint64_t record[4] = {cpu->executed, (uint64_t)kind << 56 | (at & ADDRESS), argument,
                                    in_register(x[LINK])};
        fwrite(record, sizeof record, 1, out);
    }
}

static uint64_t flags(void)
{
    return current == 0 ? 0 : in_memory(current + flags_offset, sizeof(uint64_t));
}

static bool is_kernel(uint64_t address)
{
    return address >> 63 != 0;
}

static void look_at_task(uint64_t at)
{
    const uint64_t task = in_register(sp_el0);
    if (!is_kernel(task)) {
        return;
    }
    const uint32_t stored = (uint32_t)in_memory(task + count_offset, sizeof stored);
    if (task != current) {
        current = task;
        count = stored;
        put(TASK, at, task);
        put(COUNTED, at, count | flags() << 32);
    } else if (stored != count) {
        put(DIFFERS, at, stored);
    }
}

/* At the first instruction after one that may have changed the state, before it executes. */
static void look(unsigned vcpu, void *userdata)
{
    const uint64_t at = (uintptr_t)userdata;
    const uint64_t why = cpu->pending;
    (void)vcpu;
    cpu->pending = 0;
    if (why >= CLOCK_READ) {
        put(CLOCK, at, why - CLOCK_READ < REGISTERS ? in_register(x[why - CLOCK_READ]) : 0);
        return;
    }
    const bool now_masked = (in_register(cpsr) >> IRQ_MASK_BIT & 1) != 0;
    if (now_masked != masked) {
        masked = now_masked;
        put(masked ? MASKED : UNMASKED, at, flags());
    }
    if (is_kernel(at)) { /* user space has its own sp_el0 */
        look_at_task(at);
    }
}

static void at_vector(unsigned vcpu, void *userdata)
{
    const uint64_t at = (uintptr_t)userdata;
    if (vectors == 0) {
        vectors = in_register(vbar);
    }
    if ((at & ~(uint64_t)VECTOR_TABLE) == vectors) {
        put(VECTOR, at, at & VECTOR_TABLE);
        look(vcpu, userdata);
    }
}

static void vectors_moved(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    vectors = 0;
}

static void returned(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    cpu->pending = CHANGED;
}

static void entered(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    put(ENTRY, (uintptr_t)userdata, in_register(x[0]));
}

static void begins(unsigned vcpu, void *userdata)
{
    const uint64_t at = (uintptr_t)userdata;
    (void)vcpu;
    if (!begun) {
        begun = true;
        put(masked ? MASKED : UNMASKED, at, flags());
        put(TASK, at, current);
        put(COUNTED, at, count | flags() << 32);
    }
}

static void stored_word(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *userdata)
{
    (void)vcpu;
    if (current != 0 && address == current + count_offset) {
        const uint32_t now = qemu_plugin_mem_get_value(info).data.u32;
        if (now != count) {
            count = now;
            put(COUNTED, (uintptr_t)userdata, count | flags() << 32);
        }
    }
}

static void loaded_word(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *userdata)
{
    (void)vcpu;
    if ((address & 0xfff) == IAR) {
        put(ACKNOWLEDGED, (uintptr_t)userdata, qemu_plugin_mem_get_value(info).data.u32);
    }
}

static bool is_in(const places *of, uint64_t address)
{
    for (size_t i = 0; i < of->count; i++) {
        if (address >= of->at[i] && address < of->end[i]) {
            return true;
        }
    }
    return false;
}

static void watch(struct qemu_plugin_insn *insn, uint64_t at, uint32_t code)
{
    void *const userdata = (void *)(uintptr_t)at;
    if (is_in(&from, at)) {
        qemu_plugin_register_vcpu_insn_exec_cb(insn, begins, QEMU_PLUGIN_CB_R_REGS, userdata);
    }
    if (is_in(&entries, at)) {
        qemu_plugin_register_vcpu_insn_exec_cb(insn, entered, QEMU_PLUGIN_CB_R_REGS, userdata);
    }
    if (is_in(&acknowledge, at)) {
        qemu_plugin_register_vcpu_mem_cb(insn, loaded_word, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_MEM_R, userdata);
    }
    if (IS_DAIF_IMMEDIATE(code) || IS_DAIF_REGISTER(code) || IS_SP_EL0_WRITE(code)) {
        qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_STORE_U64, pending, CHANGED);
    } else if (is_kernel(at) && IS_COUNTER_READ(code)) {
        qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_STORE_U64, pending,
                                                            CLOCK_READ + TARGET_REGISTER(code));
    } else if (IS_ERET(code)) {
        qemu_plugin_register_vcpu_insn_exec_cb(insn, returned, QEMU_PLUGIN_CB_NO_REGS, userdata);
    } else if (IS_VBAR_WRITE(code)) {
        qemu_plugin_register_vcpu_insn_exec_cb(insn, vectors_moved, QEMU_PLUGIN_CB_NO_REGS, userdata);
    } else if (is_kernel(at) && IS_STORE_WORD(code, count_offset)) {
        qemu_plugin_register_vcpu_mem_cb(insn, stored_word, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_MEM_W, userdata);
    }
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    /* All that changes the state ends a block, so that the next one's beginning is where the change holds. */
    qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, look, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_NE, pending, 0,
                                              (void *)(uintptr_t)qemu_plugin_tb_vaddr(tb));
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *const insn = qemu_plugin_tb_get_insn(tb, i);
        const uint64_t at = qemu_plugin_insn_vaddr(insn);
        uint32_t code = 0;
        (void)qemu_plugin_insn_data(insn, &code, sizeof code);
        if (i == 0 && at % VECTOR_ALIGN == 0) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, at_vector, QEMU_PLUGIN_CB_R_REGS, (void *)(uintptr_t)at);
        }
        watch(insn, at, code);
        qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_ADD_U64, executed, 1);
    }
}

static void started(qemu_plugin_id_t id, unsigned vcpu)
{
    (void)id;
    cpu = qemu_plugin_scoreboard_find(score, vcpu);
    GArray *const all = qemu_plugin_get_registers();
    for (unsigned i = 0; i < all->len; i++) {
        const qemu_plugin_reg_descriptor *const one = (const qemu_plugin_reg_descriptor *)(void *)all->data + i;
        if (strcmp(one->feature, "org.gnu.gdb.aarch64.core") == 0 && one->name[0] == 'x') {
            const unsigned long number = strtoul(one->name + 1, NULL, 10);
            x[number < REGISTERS ? number : 0] = one->handle;
        } else if (strcmp(one->name, "cpsr") == 0) {
            cpsr = one->handle;
        } else if (strcmp(one->name, "SP_EL0") == 0) {
            sp_el0 = one->handle;
        } else if (strcmp(one->name, "VBAR") == 0 || strcmp(one->name, "VBAR_EL1") == 0) {
            vbar = one->handle;
        }
    }
    if (x[0] == NULL || x[LINK] == NULL || cpsr == NULL || sp_el0 == NULL || vbar == NULL) {
        (void)fputs("masks: this emulator does not show the registers of an arm64 CPU\n", stderr);
        exit(1);
    }
}

static void ended(qemu_plugin_id_t id, void *userdata)
{
    (void)id;
    (void)userdata;
    fclose(out);
}

/* "<hex>" or "<hex>-<hex>", the end left out. */
static bool add(places *to, const char *word)
{
    char *rest = NULL;
    if (to->count == PLACES) {
        return false;
    }
    to->at[to->count] = strtoull(word, &rest, 16);
    to->end[to->count] = *rest == '-' ? strtoull(rest + 1, NULL, 16) : to->at[to->count] + 1;
    to->count++;
    return true;
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv)
{
    bool known = true;
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "count=", 6) == 0) {
            count_offset = strtoull(argv[i] + 6, NULL, 10);
        } else if (strncmp(argv[i], "flags=", 6) == 0) {
            flags_offset = strtoull(argv[i] + 6, NULL, 10);
        } else if (strncmp(argv[i], "from=", 5) == 0) {
            known = add(&from, argv[i] + 5) && known;
        } else if (strncmp(argv[i], "entry=", 6) == 0) {
            known = add(&entries, argv[i] + 6) && known;
        } else if (strncmp(argv[i], "acknowledge=", 12) == 0) {
            known = add(&acknowledge, argv[i] + 12) && known;
        } else if (strncmp(argv[i], "out=", 4) == 0) {
            out = fopen(argv[i] + 4, "wb");
        }
    }
    if (!known || out == NULL) {
        return 1;
    }
    buffer = g_byte_array_new();
    score = qemu_plugin_scoreboard_new(sizeof(cpu_state));
    executed = (qemu_plugin_u64){score, offsetof(cpu_state, executed)};
    pending = (qemu_plugin_u64){score, offsetof(cpu_state, pending)};
    qemu_plugin_register_vcpu_init_cb(id, started);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
