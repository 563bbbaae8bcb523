/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How the load's records are called, the same for the program that writes the database and for both clients.
 *
 * Record i of N is a longout that caput writes and camonitor watches. In pairs it processes a calc of the same value, which is watched in its place.
 */
#ifndef RTSTONE_IOC_LOAD_NAMES_H
#define RTSTONE_IOC_LOAD_NAMES_H

#define LOAD_PREFIX "rtstone:load:"
#define LOAD_PUT "%sput%ld"
#define LOAD_MONITOR "%svalue%ld"
#define LOAD_RECORDS_MAX 1000000L
#define LOAD_PREFIX_SIZE 40

#endif
