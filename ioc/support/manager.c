/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * samplerManager: which samplers there are, by name.
 */
#include <stdio.h>
#include <string.h>

#include <epicsMutex.h>
#include <epicsThread.h>

#include "manager.h"

#define SAMPLERS 16

typedef struct entry {
    char name[SAMPLER_NAME_SIZE];
    getSampleType getSample;
    void *pvt;
    char why[SAMPLER_WHY_SIZE]; /* it gave last; empty */
} entry;

static entry entries[SAMPLERS];
static epicsMutexId lock;

static void make_lock(void *unused)
{
    (void)unused;
    lock = epicsMutexMustCreate();
}

static void acquire(void)
{
    static epicsThreadOnceId once = EPICS_THREAD_ONCE_INIT;
    epicsThreadOnce(&once, make_lock, NULL);
    epicsMutexMustLock(lock);
}

static entry *find(const char *name)
{
    for (size_t i = 0; i < SAMPLERS; i++) {
        if (entries[i].getSample != NULL && strcmp(entries[i].name, name) == 0) {
            return &entries[i];
        }
    }
    return NULL;
}

static int register_sampler(const char *name, getSampleType getSample, void *samplerPvt)
{
    if (name == NULL || name[0] == '\0' || strlen(name) >= SAMPLER_NAME_SIZE || getSample == NULL) {
        return -1;
    }
    int result = -1;
    acquire();
    if (find(name) == NULL) {
        for (size_t i = 0; i < SAMPLERS && result != 0; i++) {
            if (entries[i].getSample == NULL) {
                (void)snprintf(entries[i].name, sizeof entries[i].name, "%s", name);
                entries[i].getSample = getSample;
                entries[i].pvt = samplerPvt;
                result = 0;
            }
        }
    }
    epicsMutexUnlock(lock);
    return result;
}

static int remove_sampler(void *samplerPvt)
{
    int result = -1;
    acquire();
    for (size_t i = 0; i < SAMPLERS; i++) {
        if (entries[i].getSample != NULL && entries[i].pvt == samplerPvt) {
            memset(&entries[i], 0, sizeof entries[i]);
            result = 0;
        }
    }
    epicsMutexUnlock(lock);
    return result;
}

int samplerFind(const char *name, getSampleType *getSample, void **samplerPvt)
{
    acquire();
    const entry *const found = find(name);
    if (found != NULL) {
        *getSample = found->getSample;
        *samplerPvt = found->pvt;
    }
    epicsMutexUnlock(lock);
    return found != NULL;
}

static int explain(void *samplerPvt, const char *why)
{
    int result = -1;
    acquire();
    for (size_t i = 0; i < SAMPLERS; i++) {
        if (entries[i].getSample != NULL && entries[i].pvt == samplerPvt) {
            (void)snprintf(entries[i].why, sizeof entries[i].why, "%s", why);
            result = 0;
        }
    }
    epicsMutexUnlock(lock);
    return result;
}

void samplerWhy(const char *name, int error, char why[SAMPLER_WHY_SIZE])
{
    acquire();
    entry *const found = find(name);
    (void)snprintf(why, SAMPLER_WHY_SIZE, "%s", found != NULL && found->why[0] != '\0' ? found->why : strerror(error));
    if (found != NULL) {
        found->why[0] = '\0';
    }
    epicsMutexUnlock(lock);
}

void samplerList(void)
{
    acquire();
    for (size_t i = 0; i < SAMPLERS; i++) {
        if (entries[i].getSample != NULL) {
            (void)printf("  %s\n", entries[i].name);
        }
    }
    epicsMutexUnlock(lock);
}

static samplerManager manager = {
    .registerSampler = register_sampler, .removeSampler = remove_sampler, .explain = explain};
samplerManager *psamplerManager = &manager;
