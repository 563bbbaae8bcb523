/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which machine this is, so that runs of two machines are never taken for one. Identifiers that belong to the machine alone are told
 * as keyed hashes. The machine's id is made of what every user may read: it is the same with and without privileges.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "files.h"
#include "sha256.h"

/** The key's purpose, hashed with it: no other program's hash of the same identifier is equal to ours. */
#define PURPOSE "rtstone machine 1"
#define ID_BYTES 16u
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

/** What the id is made of beside the names, and what that is called. */
static const char *key_of(char *key, size_t room, bool has_serial)
{
    if (machine_id(key, room)) {
        return "machine-id, ";
    }
    /* A bare root or a container: the firmware's own number where we may read it, else the names alone. */
    if (firmware_line("/sys/class/dmi/id/product_uuid", key, room)) {
        return "product-uuid, ";
    }
    if (!has_serial && rts_linux_field("/proc/cpuinfo", "model name", key, room)) {
        return "cpu-model, ";
    }
    key[0] = '\0';
    return "";
}

/** Clones share a machine-id, and not a host name: two machines in one would be silent, one renamed is told as another. */
static void id_facts(rts_fact_fn fact, void *arg, const char *host)
{
    char key[64];
    char serial[64];
    char text[256];
    char hex[2 * ID_BYTES + 1];
    const bool has_serial = open_serial(serial, sizeof serial);
    const char *const source = key_of(key, sizeof key, has_serial);
    (void)snprintf(text, sizeof text, "%s\n%s\n%s", PURPOSE, host, has_serial ? serial : "");
    hashed(key, text, ID_BYTES, hex);
    fact(arg, "machine.id", hex);
    (void)snprintf(text, sizeof text, "%shost-name%s", source, has_serial ? ", board-serial" : "");
    fact(arg, "machine.id-source", text);
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
    /* Root alone may read these two: they are told beside the id, and are no part of it. */
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
    if (host[0] != '\0') {
        fact(arg, "machine.name", host);
    }
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
