/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Settings that survive a restart: the fields that info(autosaveFields) names, in a file of the format of EPICS's autosave.
 */
#ifndef RTSTONE_IOC_SETTINGS_H
#define RTSTONE_IOC_SETTINGS_H

/**
 * Gives the loaded records what the file says, and from iocInit on keeps the file as the records are, looking once a second. There may be no file
 * yet. Call it once, after the databases are loaded and before iocInit. Returns 0, or -1 and says why: a file that cannot be read or is cut short.
 */
int settings_keep(const char *file);

#endif
