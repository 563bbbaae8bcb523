/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Errors of system calls as the engine's statuses.
 */
#include <errno.h>

#include "system.h"

rts_status rts_system_status(int error)
{
    switch (error) {
    case 0:
        return RTS_OK;
    case EPERM:
    case EACCES:
        return RTS_DENIED;
    case ENOMEM:
    case EAGAIN: /* a limit on threads or processes */
    case EMFILE:
    case ENFILE:
    case ENOSPC:
        return RTS_NO_MEMORY;
    case EINVAL:
        return RTS_INVALID;
    case ENOSYS:
    case ENOTSUP:
        return RTS_UNSUPPORTED;
    default:
        return RTS_FAILED;
    }
}
