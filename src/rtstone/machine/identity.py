# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The id of this machine, by the same rules as in the engine (linux/describe_machine.c): spec/record-stream.md,
`machine.id`."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from rtstone.machine.system import System

VARIABLE = "RTSTONE_MACHINE"
"""Environment variable with the user's own name of this machine, such as a pod's `spec.nodeName`."""
_FIRST = {"uts": "[4026531838]", "pid": "[4026531836]"}
"""Numbers of the first name spaces, which the kernel fixes (include/linux/proc_ns.h)."""
_ROOM, _MODEL_ROOM = 64, 96
"""Bytes of the engine's buffers for a sign and for the CPU's model, with a closing zero (linux/describe_machine.c)."""
_LEFT = {"to be filled by o.e.m.", "default string", "not specified", "system serial number", "none", "not applicable"}


def hashed(key: str, name: str, serial: str = "") -> str:
    """A machine's id, from its identifying key, its host name and its board's serial number. The last two are empty if
    they are no part of the id."""
    text = f"rtstone machine 1\n{name}\n{serial}"
    return hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()[:32]


class Signs(msgspec.Struct, frozen=True, kw_only=True):
    """Facts that can identify a machine, as in `rts_machine_signs` of linux/identity.h. A text is empty if the fact is
    not known."""

    stated: str = ""
    machine_id: str = ""
    machine_id_mounted: bool = False
    product_uuid: str = ""
    serial: str = ""
    cpu_model: str = ""
    boot_id: str = ""
    host: str = ""
    own_name: bool = False
    inside: bool = False


def made(signs: Signs) -> tuple[str, str]:
    """The id that these signs give, and the names of its parts; ("", "nothing") if nothing identifies the machine."""
    key, by, serial, named = "", "", signs.serial, not signs.inside
    if signs.stated:
        key, by, serial, named = signs.stated, VARIABLE, "", False
    elif signs.machine_id and (named or signs.own_name or signs.machine_id_mounted):
        key, by, named = signs.machine_id, "machine-id", named or signs.own_name
    elif signs.product_uuid:
        key, by = signs.product_uuid, "product-uuid"
    elif not serial and not signs.inside and signs.cpu_model:
        key, by = signs.cpu_model, "cpu-model"
    elif not serial and signs.inside:
        if not signs.boot_id:
            return "", "nothing"
        key, by = signs.boot_id, "boot-id"
    parts = (by, "host-name" if named else "", "board-serial" if serial else "")
    return hashed(key, signs.host if named else "", serial), ", ".join(filter(None, parts))


def identity(system: System, name: str) -> tuple[str, str]:
    """The id of a machine with this host name, and the names of the id's parts; ("", "nothing") if nothing identifies
    the machine.

    RTSTONE_MACHINE and name spaces count for this machine only, not for a remote one.
    """
    own_name = system.far or _first("uts")
    return made(
        Signs(
            stated="" if system.far else os.environ.get(VARIABLE, ""),
            machine_id=_machine_id(system),
            machine_id_mounted=_mounted(system, "/etc/machine-id"),
            product_uuid=_meant(_line(system, "/sys/class/dmi/id/product_uuid")),
            serial=_meant(_line(system, "/proc/device-tree/serial-number"))
            or _meant(_of_cpu(system, "Serial")[: _ROOM - 1]),
            cpu_model=_of_cpu(system, "model name")[: _MODEL_ROOM - 1],
            boot_id=_line(system, "/proc/sys/kernel/random/boot_id"),
            host=name,
            own_name=own_name,
            inside=not (own_name and (system.far or _first("pid"))),
        )
    )


def _line(system: System, path: str) -> str:
    """The first line of a file up to a zero byte; empty if it cannot be read."""
    return re.split("[\r\n\0]", system.text(path) or "", maxsplit=1)[0][: _ROOM - 1]


def _of_cpu(system: System, key: str) -> str:
    """The first value of a key of /proc/cpuinfo."""
    for line in (system.text("/proc/cpuinfo") or "").splitlines():
        name, colon, value = line.partition(":")
        if colon and name.strip() == key and value.strip():
            return value.strip()
    return ""


def _meant(text: str) -> str:
    """A fact from the firmware; empty if the machine's maker has left only zeros or a placeholder."""
    empty = not text.strip("0- ") or not text.lower().strip("f- ") or text.lower() in _LEFT
    return "" if empty else text


def _machine_id(system: System) -> str:
    """The machine's id of 32 hex digits (machine-id(5)); empty without one. An image that has never booted has
    "uninitialized", or no text."""
    for path in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        if re.fullmatch("[0-9a-f]{32}", text := system.text(path) or "") and text.strip("0"):
            return text
    return ""


def _first(kind: str) -> bool:
    """Whether this process is in the first name space of its kind ("uts", "pid")."""
    try:
        return _FIRST[kind] in str(Path(f"/proc/self/ns/{kind}").readlink())
    except OSError:
        return True


def _mounted(system: System, point: str) -> bool:
    """Whether a mount point is at this path. The file is then the host's, not one of the container's image."""
    lines = (system.text("/proc/self/mountinfo") or "").splitlines()
    return any(line.split()[4:5] == [point] for line in lines)
