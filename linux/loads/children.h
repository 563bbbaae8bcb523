/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The children of a process that takes in orphans.
 */
#ifndef RTSTONE_CHILDREN_H
#define RTSTONE_CHILDREN_H

/** Kills the caller's children; theirs become its own when they are dead, if it is a subreaper (prctl(2)). */
void rts_children_kill(void);

#endif
