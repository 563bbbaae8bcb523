/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A line of the file is a field's name and its value, to the line's end; of a menu it is the choice's number. The last line is <END>: a file without it was cut short, and nothing of it is taken.
 */
#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dbAccess.h>
#include <dbStaticLib.h>
#include <epicsExit.h>
#include <epicsMutex.h>
#include <epicsThread.h>
#include <errlog.h>
#include <initHooks.h>

#define TEXT_SIZE 4096 /* a site has a handful of such fields */
#define LOOK_S 1.0

static char place[1024];
static char kept[TEXT_SIZE]; /* what the file has */
static epicsMutexId lock;

/* ---- from the file to the records, before they are initialised ---- */

static int set(DBENTRY *entry, const char *name, const char *value)
{
    if (dbFindRecord(entry, name) != 0) {
        return 0;
    }
    char *end = NULL;
    const long choice = strtol(value, &end, 10);
    if (dbGetFieldDbfType(entry) == DBF_MENU && end != value && *end == '\0') {
        return dbPutMenuIndex(entry, (int)choice) == 0;
    }
    return dbPutString(entry, value) == 0;
}

static void take(FILE *file)
{
    char line[256];
    DBENTRY entry;
    dbInitEntry(pdbbase, &entry);
    while (fgets(line, sizeof line, file) != NULL && strncmp(line, "<END>", 5) != 0) {
        line[strcspn(line, "\r\n")] = '\0';
        char *const end = line + strcspn(line, " \t");
        if (line[0] == '#' || line[0] == '!' || *end == '\0') {
            continue;
        }
        *end = '\0';
        if (!set(&entry, line, end + 1 + strspn(end + 1, " \t"))) {
            errlogPrintf("settingsKeep: %s: there is no field %s here that could be '%s'\n", place, line, end + 1);
        }
    }
    dbFinishEntry(&entry);
}

static int is_complete(FILE *file)
{
    char line[256];
    int whole = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        whole = strncmp(line, "<END>", 5) == 0;
    }
    rewind(file);
    return whole;
}

/* ---- from the records to the file ---- */

static size_t tell(char *text, size_t used, const char *record, const char *field)
{
    char name[128];
    char value[64];
    DBADDR address;
    double number = 0;
    epicsEnum16 choice = 0;
    (void)snprintf(name, sizeof name, "%s.%s", record, field);
    long failed = dbNameToAddr(name, &address);
    if (failed == 0 && address.field_type == DBF_MENU) {
        failed = dbGetField(&address, DBR_ENUM, &choice, NULL, NULL, NULL);
        (void)snprintf(value, sizeof value, "%d", choice);
    } else if (failed == 0 && (address.field_type == DBF_DOUBLE || address.field_type == DBF_FLOAT)) {
        failed = dbGetField(&address, DBR_DOUBLE, &number, NULL, NULL, NULL);
        (void)snprintf(value, sizeof value, "%.14g", number);
    } else if (failed == 0) {
        failed = dbGetField(&address, DBR_STRING, value, NULL, NULL, NULL);
    }
    const int more = failed != 0 ? -1 : snprintf(text + used, TEXT_SIZE - used, "%s %s\n", name, value);
    return more > 0 && used + (size_t)more < TEXT_SIZE ? used + (size_t)more : used;
}

static void tell_all(char text[TEXT_SIZE])
{
    size_t used = 0;
    DBENTRY entry;
    dbInitEntry(pdbbase, &entry);
    for (long type = dbFirstRecordType(&entry); type == 0; type = dbNextRecordType(&entry)) {
        for (long record = dbFirstRecord(&entry); record == 0; record = dbNextRecord(&entry)) {
            char fields[128];
            char *rest = NULL;
            if (dbIsAlias(&entry) || dbFindInfo(&entry, "autosaveFields") != 0) {
                continue;
            }
            (void)snprintf(fields, sizeof fields, "%s", dbGetInfoString(&entry));
            for (char *field = strtok_r(fields, " ", &rest); field != NULL; field = strtok_r(NULL, " ", &rest)) {
                used = tell(text, used, dbGetRecordName(&entry), field);
            }
        }
    }
    dbFinishEntry(&entry);
    text[used] = '\0';
}

/** Whole or not at all, whenever this process or the machine ends. */
static int write_file(const char *text)
{
    char other[sizeof place + 8];
    (void)snprintf(other, sizeof other, "%s.new", place);
    (void)unlink(other); /* of one that was killed; a link that somebody has put there is not followed */
    const int made = open(other, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    FILE *const file = made < 0 ? NULL : fdopen(made, "w");
    if (file == NULL) {
        return -1;
    }
    const int wrong = fprintf(file, "# autosave's format, written by rtstone-ioc\n%s<END>\n", text) < 0 ||
                      fflush(file) != 0 || fsync(fileno(file)) != 0;
    return fclose(file) != 0 || wrong || rename(other, place) != 0 ? -1 : 0;
}

static void look(void *unused)
{
    static char text[TEXT_SIZE];
    static int failed;
    (void)unused;
    epicsMutexMustLock(lock);
    tell_all(text);
    if (strcmp(text, kept) != 0) {
        const int before = failed;
        failed = write_file(text) != 0;
        if (!failed) {
            memcpy(kept, text, sizeof kept);
        } else if (!before) { /* the write is tried again; the failure is logged once */
            errlogPrintf("settingsKeep: %s cannot be written: %s\n", place, strerror(errno));
        }
    }
    epicsMutexUnlock(lock);
}

static void look_on(void *unused)
{
    for (;;) {
        look(unused);
        epicsThreadSleep(LOOK_S);
    }
}

static void begin(initHookState state)
{
    if (state == initHookAfterIocRunning) {
        (void)epicsThreadMustCreate("settings", epicsThreadPriorityLow, epicsThreadGetStackSize(epicsThreadStackMedium),
                                    look_on, NULL);
        (void)epicsAtExit(look, NULL);
    }
}

int settings_keep(const char *file)
{
    if (file == NULL || strlen(file) >= sizeof place || lock != NULL) {
        (void)fprintf(stderr, "settingsKeep: %s\n", lock != NULL ? "there is a file already" : "which file?");
        return -1;
    }
    (void)snprintf(place, sizeof place, "%s", file);
    FILE *const old = fopen(place, "r");
    if (old == NULL && errno != ENOENT) {
        (void)fprintf(stderr, "settingsKeep: %s cannot be read: %s\n", place, strerror(errno));
        return -1;
    }
    if (old != NULL) {
        const int whole = is_complete(old);
        if (whole) {
            take(old);
        }
        (void)fclose(old);
        if (!whole) {
            (void)fprintf(stderr, "settingsKeep: %s is cut short: no line <END>, the last that autosave writes\n",
                          place);
            return -1;
        }
    }
    lock = epicsMutexMustCreate();
    (void)initHookRegister(begin);
    return 0;
}
