/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A QEMU plugin that needs nothing of ours: it numbers the instructions that the guest executes and writes down the number of each
 * one at the addresses that it is given ("at=<hex>"), to the file "out=<path>".
 *
 * QEMU's header is not packaged everywhere; the declarations that are used here are the same in its plugin interface's versions 1 to 4,
 * of which PLUGIN_API is the emulator's.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PLUGIN_API
#define PLUGIN_API 1
#endif
#define PLUGIN_EXPORT __attribute__((visibility("default")))
#define ADDRESSES_MAX 16

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info_t;
typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned vcpu, void *userdata);
typedef void (*qemu_plugin_udata_cb_t)(qemu_plugin_id_t id, void *userdata);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t cb);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_udata_cb_t cb, int flags,
                                            void *userdata);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t cb, void *userdata);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_API;
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv);

static uint64_t executed;
static uint64_t addresses[ADDRESSES_MAX];
static size_t address_count;
static FILE *out;

static void count(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    executed++;
}

static void note(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    executed++;
    fprintf(out, "%" PRIx64 " %" PRIu64 "\n", addresses[(uintptr_t)userdata], executed);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *const insn = qemu_plugin_tb_get_insn(tb, i);
        size_t at = 0;
        while (at < address_count && addresses[at] != qemu_plugin_insn_vaddr(insn)) {
            at++;
        }
        qemu_plugin_register_vcpu_insn_exec_cb(insn, at < address_count ? note : count, 0, (void *)(uintptr_t)at);
    }
}

static void ended(qemu_plugin_id_t id, void *userdata)
{
    (void)id;
    (void)userdata;
    fprintf(out, "end %" PRIu64 "\n", executed);
    fclose(out);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "at=", 3) == 0 && address_count < ADDRESSES_MAX) {
            addresses[address_count++] = strtoull(argv[i] + 3, NULL, 16);
        } else if (strncmp(argv[i], "out=", 4) == 0) {
            out = fopen(argv[i] + 4, "w");
        }
    }
    if (out == NULL) {
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
