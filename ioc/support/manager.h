/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The generic part's view of the samplers that are registered.
 */
#ifndef RTSTONE_IOC_MANAGER_H
#define RTSTONE_IOC_MANAGER_H

#include "rtstone_sampler.h"

#define SAMPLER_NAME_SIZE 32
#define SAMPLER_WHY_SIZE 256

/** Finds a sampler; false: there is no sampler of that name. */
int samplerFind(const char *name, getSampleType *getSample, void **samplerPvt);

/** Why a sampler failed with that error: its own explanation, which is then removed, or the system's text for the error. */
void samplerWhy(const char *name, int error, char why[SAMPLER_WHY_SIZE]);

/** Lists the names of all samplers on standard output. */
void samplerList(void);

#endif
