/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Facts of the CPUs and of a hypervisor or container around them, read from /proc, /sys and CPUID. A missing file is a missing fact.
 */
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "files.h"

static void field_fact(rts_fact_fn fact, void *arg, const char *key, const char *name)
{
    char value[256];
    if (rts_linux_field("/proc/cpuinfo", name, value, sizeof value)) {
        fact(arg, key, value);
    }
}

static void number_fact(rts_fact_fn fact, void *arg, const char *key, long number)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%ld", number);
    fact(arg, key, text);
}

/** The hypervisor's common name, from the beginning of its own text: a signature of CPUID, or a word of /sys or the device tree. */
static const char *known_as(const char *said)
{
    static const struct {
        const char *said;
        const char *name;
    } names[] = {
        {"KVMKVMKVM", "KVM"},           {"Linux KVM Hv", "KVM"},     {"linux,kvm", "KVM"},
        {"TCGTCGTCGTCG", "QEMU TCG"},   {"VMwareVMware", "VMware"},  {"vmware", "VMware"},
        {"Microsoft Hv", "Hyper-V"},    {"XenVMMXenVMM", "Xen"},     {"xen", "Xen"},
        {"VBoxVBoxVBox", "VirtualBox"}, {"bhyve bhyve", "bhyve"},    {"ACRNACRNACRN", "ACRN"},
        {" lrpepyh  vr", "Parallels"},  {"prl hyperv", "Parallels"}, {"QNXQVMBSQG", "QNX"},
        {"Jailhouse", "Jailhouse"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(said, names[i].said, strlen(names[i].said)) == 0) {
            return names[i].name;
        }
    }
    return said;
}

/** Under which hypervisor this runs; an empty text if no source names one. */
static void hypervisor(char *name, size_t room)
{
    name[0] = '\0';
#if defined(__x86_64__)
    unsigned a;
    unsigned vendor[3];
    unsigned c;
    unsigned d;
    if (__get_cpuid(1u, &a, &vendor[0], &c, &d) != 0 && (c & 1u << 31) != 0) {
        char told[13] = {0};
        __cpuid(0x40000000u, a, vendor[0], vendor[1], vendor[2]);
        memcpy(told, vendor, 12);
        for (char *at = told; *at != '\0'; at++) {
            if (*at < ' ' || *at > '~') {
                *at = '?';
            }
        }
        (void)snprintf(name, room, "%s", told[0] != '\0' ? known_as(told) : "unnamed");
    }
#else
    char told[64];
    if (rts_linux_line("/sys/hypervisor/type", told, sizeof told) ||
        rts_linux_line("/proc/device-tree/hypervisor/compatible", told, sizeof told)) {
        (void)snprintf(name, room, "%s", known_as(told));
    } else if (rts_linux_line("/proc/device-tree/compatible", told, sizeof told) &&
               (strcmp(told, "linux,dummy-virt") == 0 || strcmp(told, "riscv-virtio") == 0)) {
        /* The board that only emulators and hypervisors have (QEMU's virt). Nothing else there shows a virtual machine.
         * doctor (interference.py) knows these names too, because it works without an engine; a test compares the two. */
        (void)snprintf(name, room, "%s", told);
    }
#endif
}

static void virtualisation(rts_fact_fn fact, void *arg, const char *under)
{
    if (under[0] != '\0') {
        fact(arg, "virtualisation.hypervisor", under);
    }
    rts_linux_file_fact(fact, arg, "virtualisation.product", "/sys/class/dmi/id/product_name");
    const char *const container = rts_linux_container();
    if (container != NULL) {
        fact(arg, "virtualisation.container", container);
    }
}

static void of_measured_cpu(rts_fact_fn fact, void *arg)
{
    static const struct {
        const char *key;
        const char *file;
    } files[] = {
        {"cpu.governor", "cpufreq/scaling_governor"},          {"cpu.frequency_driver", "cpufreq/scaling_driver"},
        {"cpu.frequency_min_khz", "cpufreq/scaling_min_freq"}, {"cpu.frequency_max_khz", "cpufreq/scaling_max_freq"},
        {"cpu.siblings", "topology/thread_siblings_list"},
    };
    const int32_t cpu = rts_system_cpu_choice();
    number_fact(fact, arg, "cpu.chosen", cpu);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[96];
        (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%ld/%s", (long)cpu, files[i].file);
        rts_linux_file_fact(fact, arg, files[i].key, path);
    }
}

void rts_linux_describe_cpu(rts_fact_fn fact, void *arg)
{
    field_fact(fact, arg, "cpu.model", "model name");
    field_fact(fact, arg, "cpu.mhz", "cpu MHz");                 /* what it ran at when it was asked */
    field_fact(fact, arg, "cpu.implementer", "CPU implementer"); /* Arm has no model name */
    field_fact(fact, arg, "cpu.part", "CPU part");
    number_fact(fact, arg, "cpu.count", (long)rts_system_cpu_count());
    rts_linux_file_fact(fact, arg, "cpu.online", "/sys/devices/system/cpu/online");
    rts_linux_file_fact(fact, arg, "cpu.isolated", "/sys/devices/system/cpu/isolated");
    rts_linux_file_fact(fact, arg, "cpu.nohz_full", "/sys/devices/system/cpu/nohz_full");
    rts_linux_file_fact(fact, arg, "cpu.smt", "/sys/devices/system/cpu/smt/control");
    rts_linux_file_fact(fact, arg, "cpu.idle_driver", "/sys/devices/system/cpu/cpuidle/current_driver");
    of_measured_cpu(fact, arg);
    char under[64];
    hypervisor(under, sizeof under);
    virtualisation(fact, arg, under);
    rts_linux_describe_machine(fact, arg, under);
}
