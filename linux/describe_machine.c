/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Identifies this machine, so that runs of two machines are never taken for runs of one. Identifiers that belong to the machine alone are reported
 * as keyed hashes. The machine's id is made of data that every user may read: it is the same with and without privileges.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "files.h"
#include "identity.h"
#include "sha256.h"

/** The key's purpose, hashed with it: no other program's hash of the same identifier is equal to ours. */
#define PURPOSE "rtstone machine 1"
#define ID_BYTES RTS_MACHINE_ID_BYTES
#define SERIAL_BYTES 8u

/** Hex digits of the first bytes of the keyed hash. */
static void hashed(const char *key, const char *text, size_t bytes, char *hex)
{
    uint8_t digest[32];
    rts_linux_hmac_sha256(key, strlen(key), text, strlen(text), digest);
    for (size_t i = 0; i < bytes; i++) {
        (void)snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    }
}

/** 32 hex digits, as machine-id(5) has them; an image that has not booted yet holds "uninitialized", or nothing. */
static bool machine_id(char *id, size_t room)
{
    static const char *const paths[] = {"/etc/machine-id", "/var/lib/dbus/machine-id"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (rts_linux_line(paths[i], id, room) && strlen(id) == 32 && strspn(id, "0123456789abcdef") == 32 &&
            strspn(id, "0") != 32) {
            return true;
        }
    }
    return false;
}

/** Whether firmware says something of this machine: makers leave zeros, and words that say that they left it. */
static bool says_something(const char *text)
{
    static const char *const empty[] = {
        "to be filled by o.e.m.", "default string", "not specified", "system serial number", "none", "not applicable",
    };
    char low[64];
    size_t n = 0;
    for (; text[n] != '\0' && n < sizeof low - 1; n++) {
        low[n] = (char)tolower((unsigned char)text[n]);
    }
    low[n] = '\0';
    for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++) {
        if (strcmp(low, empty[i]) == 0) {
            return false;
        }
    }
    return strspn(low, "0- ") != n && strspn(low, "f- ") != n;
}

static bool firmware_line(const char *path, char *line, size_t room)
{
    return rts_linux_line(path, line, room) && says_something(line);
}

/** The serial number that everybody may read: boards with a device tree have one. */
static bool open_serial(char *serial, size_t room)
{
    return firmware_line("/proc/device-tree/serial-number", serial, room) ||
           (rts_linux_field("/proc/cpuinfo", "Serial", serial, room) && says_something(serial));
}

/** True in the first name space of a kind ("uts", "pid"), whose number the kernel fixes (include/linux/proc_ns.h). */
static bool first_name_space(const char *kind, const char *number)
{
    char path[32];
    char name[32];
    (void)snprintf(path, sizeof path, "/proc/self/ns/%s", kind);
    const ssize_t bytes = readlink(path, name, sizeof name - 1);
    name[bytes > 0 ? bytes : 0] = '\0';
    return bytes <= 0 || strstr(name, number) != NULL;
}

/** True if something is mounted there, a file of the host in a container for instance. */
static bool mounted(const char *point)
{
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    FILE *const file = fopen("/proc/self/mountinfo", "re");
    while (file != NULL && !found && getline(&line, &room, file) > 0) {
        char *rest = NULL;
        const char *word = strtok_r(line, " ", &rest);
        for (int field = 0; field < 4 && word != NULL; field++) {
            word = strtok_r(NULL, " ", &rest);
        }
        found = word != NULL && strcmp(word, point) == 0;
    }
    free(line);
    if (file != NULL) {
        (void)fclose(file);
    }
    return found;
}

bool rts_linux_identity(const rts_machine_signs *signs, char *hex, char *source, size_t room)
{
    char text[512];
    const char *key = "";
    const char *by = "";
    const char *serial = signs->serial != NULL ? signs->serial : "";
    bool named = !signs->inside;
    if (signs->stated != NULL) {
        key = signs->stated;
        by = "RTSTONE_MACHINE";
        serial = "";
        named = false;
    } else if (signs->machine_id != NULL && (named || signs->own_name || signs->machine_id_mounted)) {
        /* Clones share a machine-id, and not a host name: two machines in one would be silent, one renamed is another. */
        key = signs->machine_id;
        by = "machine-id";
        named = named || signs->own_name;
    } else if (signs->product_uuid != NULL) {
        key = signs->product_uuid;
        by = "product-uuid";
    } else if (serial[0] == '\0' && !signs->inside && signs->cpu_model != NULL) {
        key = signs->cpu_model;
        by = "cpu-model";
    } else if (serial[0] == '\0' && signs->inside) {
        /* A container's name is its own, and all containers of an image have one machine-id. The boot of the kernel remains as a sign. */
        if (signs->boot_id == NULL) {
            return false;
        }
        key = signs->boot_id;
        by = "boot-id";
    }
    (void)snprintf(text, sizeof text, "%s\n%s\n%s", PURPOSE, named ? signs->host : "", serial);
    hashed(key, text, ID_BYTES, hex);
    const char *const parts[] = {by, named ? "host-name" : "", serial[0] != '\0' ? "board-serial" : ""};
    source[0] = '\0';
    for (size_t i = 0, used = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i][0] != '\0') {
            (void)snprintf(source + used, room - used, "%s%s", used > 0 ? ", " : "", parts[i]);
            used = strlen(source);
        }
    }
    return true;
}

static void id_facts(rts_fact_fn fact, void *arg, const char *host)
{
    char id[64];
    char uuid[64];
    char serial[64];
    char cpu[96];
    char boot[64];
    char source[96];
    char hex[2 * ID_BYTES + 1];
    const char *const stated = getenv("RTSTONE_MACHINE");
    const rts_machine_signs signs = {
        .stated = stated != NULL && stated[0] != '\0' ? stated : NULL,
        .machine_id = machine_id(id, sizeof id) ? id : NULL,
        .machine_id_mounted = mounted("/etc/machine-id"),
        .product_uuid = firmware_line("/sys/class/dmi/id/product_uuid", uuid, sizeof uuid) ? uuid : NULL,
        .serial = open_serial(serial, sizeof serial) ? serial : NULL,
        .cpu_model = rts_linux_field("/proc/cpuinfo", "model name", cpu, sizeof cpu) ? cpu : NULL,
        .boot_id = rts_linux_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot) ? boot : NULL,
        .host = host,
        .own_name = first_name_space("uts", "[4026531838]"),
        .inside = !first_name_space("uts", "[4026531838]") || !first_name_space("pid", "[4026531836]"),
    };
    if (rts_linux_identity(&signs, hex, source, sizeof source)) {
        fact(arg, "machine.id", hex);
        fact(arg, "machine.id-source", source);
    } else {
        fact(arg, "machine.id-source", "nothing");
    }
    host = signs.stated != NULL ? signs.stated : host;
    if (host[0] != '\0') {
        fact(arg, "machine.name", host);
    }
}

static void board_facts(rts_fact_fn fact, void *arg)
{
    char vendor[64];
    char name[160];
    char text[256];
    if (firmware_line("/proc/device-tree/model", name, sizeof name)) {
        fact(arg, "machine.board", name);
    } else if (firmware_line("/sys/class/dmi/id/board_name", name, sizeof name) ||
               firmware_line("/sys/class/dmi/id/product_name", name, sizeof name)) {
        const bool known = firmware_line("/sys/class/dmi/id/board_vendor", vendor, sizeof vendor) ||
                           firmware_line("/sys/class/dmi/id/sys_vendor", vendor, sizeof vendor);
        (void)snprintf(text, sizeof text, "%s%s%s", known ? vendor : "", known ? " " : "", name);
        fact(arg, "machine.board", text);
    }
    /* Only root may read these two. They are reported next to the id, and are not a part of it. */
    if (firmware_line("/sys/class/dmi/id/board_serial", name, sizeof name) ||
        firmware_line("/sys/class/dmi/id/product_uuid", name, sizeof name)) {
        char hex[2 * SERIAL_BYTES + 1];
        hashed(name, PURPOSE " serial", SERIAL_BYTES, hex);
        fact(arg, "machine.serial", hex);
    }
}

static void firmware_fact(rts_fact_fn fact, void *arg)
{
    char version[96];
    char date[32];
    char text[160];
    if (firmware_line("/sys/class/dmi/id/bios_version", version, sizeof version)) {
        const bool dated = firmware_line("/sys/class/dmi/id/bios_date", date, sizeof date);
        (void)snprintf(text, sizeof text, "%s%s%s", version, dated ? ", " : "", dated ? date : "");
        fact(arg, "machine.firmware", text);
    }
}

void rts_linux_describe_machine(rts_fact_fn fact, void *arg, const char *hypervisor)
{
    struct utsname names;
    const char *const host = uname(&names) >= 0 ? names.nodename : "";
    char value[96];
    id_facts(fact, arg, host);
    board_facts(fact, arg);
    firmware_fact(fact, arg);
    if (rts_linux_field("/proc/cpuinfo", "microcode", value, sizeof value)) {
        fact(arg, "machine.microcode", value);
    }
    if (rts_linux_field("/proc/meminfo", "MemTotal", value, sizeof value)) {
        fact(arg, "machine.memory", value);
    }
    const char *const container = rts_linux_container();
    (void)snprintf(value, sizeof value, "%s%s%s%s", hypervisor, container != NULL && hypervisor[0] != '\0' ? ", " : "",
                   container != NULL ? "container " : "", container != NULL ? container : "");
    fact(arg, "machine.virtualisation", value[0] != '\0' ? value : "none");
}
