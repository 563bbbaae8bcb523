/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the guests that try the probe module: the program's beginning and end, and the checks that apply to every source.
 */
#ifndef RTSTONE_TESTS_PROBE_EXERCISE_H
#define RTSTONE_TESTS_PROBE_EXERCISE_H

#include "../../probe/rtstone_probe.h"

/** The source that is being tried, for the lines. */
extern const char *of;
/** What the module says of it. */
extern struct rtstone_probe_info info;

/** One file a machine: tries the sources that it has. */
void try_sources(void);

/** Prints whether a condition holds; `errno` is the reason if it does not. */
void tell(int holds, const char *what);

/** Loads /modules/NAME.ko. 0, or -1 and `errno`. */
int load_module(const char *name, const char *parameters);
int load(const char *parameters);
int unload(void);

/** Opens the device. */
int opened(void);

/** A valid request: one interrupt a millisecond, or, if the flags ask for it, one by one. */
struct rtstone_probe_start every_ms(unsigned bottom, unsigned flags);

/** Waits for the next interrupt. Returns false if none comes. */
int next(int device, struct rtstone_probe_sample *sample);

/** Each bottom half, with interrupts that are raised one by one. */
void by_software(int device);

/** All that holds of a source with interrupts of its own. */
void exercise(const char *parameters, const char *name);

#endif
