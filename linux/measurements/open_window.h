/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Opens the window that a plan names:
 *
 *   shm                      POSIX shared memory: no bus at all, the floor (the default)
 *   pci:DOMAIN:BUS:DEV.FN/N  resource N of a PCI device, as sysfs maps it
 *                            (…/kernel: moved by the probe module, which was loaded for it)
 *   uio:N/M                  map M of /dev/uioN
 *   vme:N/a16|a24|a32/ADDR   a VMEbus through Linux's vme_user, master window N at a hexadecimal address; its data width is the transfer's
 *                            (…/map: mapped, where the bridge's driver has a bus resource)
 */
#ifndef RTS_POSIX_OPEN_WINDOW_H
#define RTS_POSIX_OPEN_WINDOW_H

#include "../window.h"

/**
 * Opens the window that a plan names, for accesses of `bits` (8 to 64). Accesses no byte of it. RTS_INVALID: there is no such window, or it cannot
 * be read and written; RTS_DENIED, RTS_UNSUPPORTED. `name` then has the reason.
 */
rts_status rts_window_open(rts_window *window, const char *spec, uint32_t bits);

#endif
