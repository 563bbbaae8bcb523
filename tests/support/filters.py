# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A seccomp filter that refuses system calls by EPERM, as the engines of containers set one (seccomp(2)).

`python filters.py NUMBER... -- COMMAND...` runs a command under one; `under(*calls)` returns the words before the command.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

_GENERIC = {"bpf": 280, "sched_setscheduler": 119, "mlockall": 230}
_NUMBERS = {
    "x86_64": {"bpf": 321, "sched_setscheduler": 144, "mlockall": 151},
    "aarch64": _GENERIC,
    "riscv64": _GENERIC,
}


def under(*calls: str) -> list[str]:
    """The words that run a command which may not use these calls."""
    numbers = _NUMBERS[os.uname().machine]
    return [sys.executable, __file__, *(str(numbers[call]) for call in calls), "--"]


def _refuse(numbers: list[int]) -> None:
    load, equal, back = (
        0x20,
        0x15,
        0x06,
    )  # BPF_LD|BPF_W|BPF_ABS, BPF_JMP|BPF_JEQ|BPF_K, BPF_RET|BPF_K (linux/bpf_common.h)
    allow, refuse = 0x7FFF0000, 0x00050001  # SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO with EPERM
    steps = [(load, 0, 0, 0), *((equal, len(numbers) - i, 0, number) for i, number in enumerate(numbers))]
    steps += [(back, 0, 0, allow), (back, 0, 0, refuse)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("=HxxxxxxQ", len(steps), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    set_filter, no_new_privileges = 22, 38
    if os.geteuid() != 0 and libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no_new_privs")
    if libc.prctl(set_filter, 2, ctypes.c_void_p(ctypes.addressof(program)), 0, 0) != 0:
        if libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0:  # root without CAP_SYS_ADMIN
            raise OSError(ctypes.get_errno(), "no_new_privs")
        if libc.prctl(set_filter, 2, ctypes.c_void_p(ctypes.addressof(program)), 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "seccomp")


if __name__ == "__main__":
    separator = sys.argv.index("--")
    _refuse([int(word) for word in sys.argv[1:separator]])
    os.execvp(sys.argv[separator + 1], sys.argv[separator + 1 :])  # noqa: S606
