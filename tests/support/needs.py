# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Needs of tests that not every system grants. Each need is checked by trying the thing itself.

A test names its needs by `@pytest.mark.needs("realtime")`. `python -m support.needs` prints what this system refuses. With JUnit
files as arguments it prints how many tests were not run for which reason.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rtstone.machine.groups import ControlGroup, groups
from rtstone.machine.system import System

from .control_groups import control_group, set_memory, set_quota, set_realtime

MODE = os.environ.get("RTSTONE_TESTS", "")
"""`all`: a test that cannot run fails (`.ci/run`). `prove`: only those are run, and each must fail (`make test-needs`)."""

PREFIX = "needs "
"""Beginning of the reason with which a test is skipped."""


@dataclass(frozen=True)
class Need:
    """`tried` returns why it is refused, or an empty text."""

    what: str
    option: str
    """The option of the container that grants the need."""
    tried: Callable[[], str]


def _run(*words: str) -> str:
    """The last line of a failed command's output; empty if it worked."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=20)
    except OSError as error:
        return str(error)
    lines = (done.stderr or done.stdout).strip().splitlines()
    return "" if done.returncode == 0 else (lines[-1] if lines else f"{words[0]}: exit code {done.returncode}")


def _python(script: str) -> str:
    """In a process of its own, which keeps nothing of it."""
    return _run(sys.executable, "-c", script)


def _fifo(priority: int) -> str:
    return _python(f"import os; os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param({priority}))")


def _bpf() -> str:
    """Loads a program of two instructions for a raw tracepoint: that takes CAP_BPF, CAP_PERFMON, and a filter that lets bpf() pass."""
    instructions = (ctypes.c_uint64 * 2)(0xB7, 0x95)  # r0 = 0; exit
    licence = ctypes.create_string_buffer(b"GPL")
    words = (ctypes.c_uint64 * 16)()
    words[0] = 17 | 2 << 32  # BPF_PROG_TYPE_RAW_TRACEPOINT, instructions
    words[1], words[2] = ctypes.addressof(instructions), ctypes.addressof(licence)
    number = {"x86_64": 321, "aarch64": 280, "riscv64": 280}.get(os.uname().machine)
    if number is None:
        return f"the number of bpf() on {os.uname().machine} is not known"
    program = ctypes.CDLL(None, use_errno=True).syscall(number, 5, words, ctypes.sizeof(words))  # BPF_PROG_LOAD
    if program < 0:
        return f"bpf(): {os.strerror(ctypes.get_errno())}"
    os.close(program)
    return ""


def _name_spaces() -> str:
    return _run("unshare", "-rmu", "sh", "-c", "mount -t tmpfs none /mnt && hostname rtstone-test")


def _network_name_spaces() -> str:
    words = ("--net", "ip", "link", "add", "near", "type", "veth", "peer", "name", "far")
    return _run("unshare", *words) and _run("unshare", "-Ur", *words)


def _raw_sockets() -> str:
    return _python("import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)")


def _settings() -> str:
    """Writes a setting's own value back."""
    file = Path("/proc/sys/kernel/timer_migration")
    try:
        file.write_text(file.read_text())
    except OSError as error:
        return f"{file}: {error.strerror}"
    return ""


def _name_space_settings() -> str:
    return _run("unshare", "-Ur", "sh", "-c", "echo 0 > /proc/sys/user/max_net_namespaces")


def _host_processes() -> str:
    names = [file.read_text().strip() for file in (Path("/proc/2/comm"),) if file.exists()]
    return "" if names == ["kthreadd"] else "the kernel's threads are hidden"


def _cpus() -> str:
    return "" if len(os.sched_getaffinity(0)) > 1 else "one CPU may be used"


def _group(controller: str, set_it: Callable[[ControlGroup], object]) -> str:
    """Makes a control group below that of this process, which must take a setting."""
    if not groups(System(), controller):
        return "no control group is visible"
    try:
        with control_group(controller) as made:
            set_it(made)
    except OSError as error:
        return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)
    return ""


def _control_groups() -> str:
    return _group("cpu", lambda made: set_quota(made, 10_000, 100_000))


def _realtime_budgets() -> str:
    return _group("cpu", lambda made: set_realtime(made, 700_000, 1_000_000))


def _file_capabilities() -> str:
    with tempfile.NamedTemporaryFile() as file:
        try:
            os.setxattr(file.name, "security.capability", bytes.fromhex("0000000200008000000000000000000000000000"))
        except OSError as error:
            return f"security.capability: {error.strerror}"
    return ""


def _memory_groups() -> str:
    return _group("memory", lambda made: set_memory(made, 1 << 30))


NEEDS: dict[str, Need] = {
    "realtime": Need("SCHED_FIFO at priority 95", "--cap-add SYS_NICE --cap-add IPC_LOCK", lambda: _fifo(95)),
    "top-priority": Need("SCHED_FIFO at priority 99, above the engine", "--cap-add SYS_NICE", lambda: _fifo(99)),
    "bpf": Need(
        "BPF programs in the kernel",
        "--cap-add BPF --cap-add PERFMON --security-opt seccomp=unconfined",
        _bpf,
    ),
    "name-spaces": Need(
        "mounts and a host name of its own", "--cap-add SYS_ADMIN --security-opt seccomp=unconfined", _name_spaces
    ),
    "network-name-spaces": Need(
        "a network of its own",
        "--cap-add SYS_ADMIN --cap-add NET_ADMIN --security-opt seccomp=unconfined",
        _network_name_spaces,
    ),
    "raw-sockets": Need("echo requests by raw sockets", "--cap-add NET_RAW", _raw_sockets),
    "settings": Need("to write settings below /proc/sys", "--privileged", _settings),
    "name-space-settings": Need(
        "settings below /proc/sys of a name space of its own",
        "--cap-add SYS_ADMIN --security-opt seccomp=unconfined --security-opt unmask=ALL",
        _name_space_settings,
    ),
    "host-processes": Need("the machine's own processes", "--pid host", _host_processes),
    "cpus": Need("more than one CPU", "--cpuset-cpus 0-1", _cpus),
    "control-groups": Need("control groups of its own", "--privileged", _control_groups),
    "memory-groups": Need("control groups with a memory limit", "--privileged", _memory_groups),
    "realtime-budgets": Need(
        "control groups with a real-time budget (version 1, CONFIG_RT_GROUP_SCHED)",
        "--privileged, on such a kernel",
        _realtime_budgets,
    ),
    "file-capabilities": Need("capabilities of files", "--cap-add SETFCAP", _file_capabilities),
}


@cache
def refused(name: str) -> str:
    """Why this system refuses it; empty where it grants it. KeyError where there is no such need."""
    return NEEDS[name].tried()


def reason(names: Sequence[str]) -> str:
    """Why a test with these needs cannot run here; empty where it can."""
    for name in names:
        if why := refused(name):
            return f"{PREFIX}{name}: {why}"
    return ""


def _not_run(files: Sequence[str]) -> Counter[str]:
    """By need, the tests of JUnit files that were not run."""
    found: Counter[str] = Counter()
    for file in files:
        for skipped in ET.parse(file).iter("skipped"):  # noqa: S314 - pytest wrote it
            message = skipped.get("message", "")
            if message.startswith(PREFIX):
                found[message.removeprefix(PREFIX).partition(":")[0]] += 1
    return found


def main(files: Sequence[str]) -> None:
    """Without files, print the needs that this system refuses.

    With JUnit files, print how many tests each need kept from running.
    """
    if not files:
        lacks = [name for name in NEEDS if refused(name)]
        for name in lacks:
            sys.stdout.write(f"this system refuses {NEEDS[name].what} ({name}): {refused(name)}\n")
        if not lacks:
            sys.stdout.write("this system grants all that tests need\n")
        return
    for name, count in sorted(_not_run(files).items()):
        need = NEEDS[name]
        sys.stdout.write(
            f"not run: {count} tests that need {need.what} ({name}); in a container this gives it: {need.option}\n"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
