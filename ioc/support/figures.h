/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * All delays of all ports in lines of JSON.
 */
#ifndef RTSTONE_IOC_FIGURES_H
#define RTSTONE_IOC_FIGURES_H

/** Prints a line `rtstone-figures: {…}` for each port: of all samples since Clear, what records serve of them. Takes what epicsAtExit gives. */
void figures_tell(void *unused);

#endif
