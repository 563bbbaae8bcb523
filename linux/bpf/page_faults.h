/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Page faults as events of perf that run BPF programs.
 */
#ifndef RTSTONE_LINUX_BPF_PAGE_FAULTS_H
#define RTSTONE_LINUX_BPF_PAGE_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Runs the program `before` at the begin of each page fault on CPUs 0 to `cpus` - 1, and `after` at its end. False: this kernel cannot, and
 * nothing is attached.
 */
bool rts_page_faults_attach(int before, int after, uint32_t cpus);

/** Ends that; does nothing if nothing is attached. */
void rts_page_faults_detach(void);

#endif
