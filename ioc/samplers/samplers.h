/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The samplers of this IOC, by the call that registers each. All return 0, or -1 after they have said on standard error what is wrong.
 */
#ifndef RTSTONE_IOC_SAMPLERS_H
#define RTSTONE_IOC_SAMPLERS_H

/** The timer as user space sees it, by the engine's POSIX port. period: 50 µs to 1 s; cpu: -1 for the engine's choice. */
int engineSamplerConfigure(const char *name, int period_us, int cpu);

/**
 * The kernel module rtstone_probe. A missing or busy device is reported at once, and again at each start of a set: the IOC goes on without it.
 * device: NULL or "" for its usual place. period 0: each interrupt is raised by the measuring task, as the paper's were. Bottom half: a thread;
 * user_isr: with a user-level interrupt service routine, called by a signal.
 */
int probeSamplerConfigure(const char *name, const char *device, int period_us, int cpu, int user_isr);

/** Registers the shell commands of the samplers that this system has beside the engine's. */
void samplers_register(void);

#endif
