/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Opens the slave windows of a VMEbus that the kernel plays, so that what a master sends arrives somewhere.
 */
#include "vme_slaves.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../../linux/vme_user.h"

static int open_slave(unsigned which, const rts_vme_slave *slave)
{
    char path[40];
    (void)snprintf(path, sizeof path, "/dev/bus/vme/s%u", which);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        return -1;
    }
    const int status = ioctl(file, RTS_VME_SET_SLAVE, slave);
    const int error = errno;
    (void)close(file);
    errno = error;
    return status;
}

int guest_vme_open_slaves(const char *where, unsigned count)
{
    unsigned bits = 0;
    uint64_t address = 0;
    int length = 0;
    if (sscanf(where, "a%2u/%" SCNx64 "%n", &bits, &address, &length) != 2 || where[length] != '\0' ||
        (bits != 16u && bits != 24u && bits != 32u)) {
        errno = EINVAL;
        return -1;
    }
    const uint64_t limit = UINT64_C(1) << bits;
    int opened = 0;
    for (unsigned i = 0; i < count && i < GUEST_VME_SLAVES && address < limit; i++) {
        const uint64_t room = limit - address;
        /* The driver compares the cycle with the master's: the same as of a window of the port. */
        const rts_vme_slave slave = {
            .enable = 1,
            .address = address,
            .bytes = room < GUEST_VME_SLAVE_BYTES ? room : GUEST_VME_SLAVE_BYTES,
            .space = bits == 16u   ? RTS_VME_A16
                     : bits == 24u ? RTS_VME_A24
                                   : RTS_VME_A32,
            .cycle = RTS_VME_SCT | RTS_VME_USER | RTS_VME_DATA,
        };
        if (open_slave(i, &slave) != 0) {
            return -1;
        }
        address += slave.bytes;
        opened++;
    }
    return opened;
}
