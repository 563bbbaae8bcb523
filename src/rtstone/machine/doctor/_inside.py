# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Adapts remedies to containers: a remedy that a container refuses becomes the container's option, or the host's
command."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from rtstone.machine.doctor.checks.interference import in_pod, signs
from rtstone.machine.system import CAP_IPC_LOCK, CAP_SYS_ADMIN, CAP_SYS_NICE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rtstone.machine.doctor._finding import Finding
    from rtstone.machine.system import System

_GRANT = "podman run --cap-add SYS_NICE --cap-add IPC_LOCK …"
_GRANT_POD = "securityContext: {capabilities: {add: [SYS_NICE, IPC_LOCK]}, allowPrivilegeEscalation: true}"
_QUEUE_ROOM = "message-queues, ulimit"
"""Key of the second limit that the check of message queues may report."""
_CONTAINER: Mapping[str, str] = {
    "real-time": _GRANT,
    "locked-memory": _GRANT,
    "no-new-privs": "leave out --security-opt no-new-privileges",
    "group-budget": "podman run --cpu-rt-runtime 950000 …",
    "cpu-quota": "leave out --cpus",
    "memory-limit": "podman run --memory 128m …",
    "idle-states": "podman run --device /dev/cpu_dma_latency …",
    "message-queues": "podman run --sysctl fs.mqueue.msg_max=10 …",
    _QUEUE_ROOM: "podman run --ulimit msgqueue=819200 …",
}
_POD: Mapping[str, str] = {
    "real-time": _GRANT_POD,
    "locked-memory": _GRANT_POD,
    "container": _GRANT_POD,
    "no-new-privs": "securityContext: {allowPrivilegeEscalation: true}",
    "group-budget": "",
    "cpu-quota": "annotations: {cpu-quota.crio.io: disable}",
    "memory-limit": "resources: {limits: {memory: 128Mi}}",
    "governor": "annotations: {cpu-freq-governor.crio.io: performance}",
    "idle-states": "annotations: {cpu-c-states.crio.io: disable}",
    "message-queues": 'securityContext: {sysctls: [{name: fs.mqueue.msg_max, value: "10"}]}',
    _QUEUE_ROOM: "",
}
_WRITES = ((r"\bsysctl\b|/proc/sys/", "/proc/sys"), (r"/proc/irq/", "/proc/irq"), (r"/sys/|\bcpupower\b", "/sys"))
"""Patterns of commands, and the folder to which each writes."""


def true_here(system: System, finding: Finding) -> Finding:
    """The finding with a remedy that works here. The finding is unchanged if nothing refuses its remedy."""
    if not finding.remedy:
        return finding
    options = _POD if in_pod(system) else _CONTAINER
    refused = _refused(system, finding.remedy)
    of = _QUEUE_ROOM if finding.remedy.startswith("ulimit -q") else finding.check
    if of in options and contained(system) and (refused or not _is_file_grant(system, finding)):
        return msgspec.structs.replace(finding, remedy=options[of])
    if refused:
        meaning = f"{finding.meaning}; {refused}, so only the host can: {finding.remedy}"
        return msgspec.structs.replace(finding, remedy="", meaning=meaning)
    return finding


def contained(system: System) -> bool:
    """Whether files or the environment show that this is a container."""
    return bool(signs(system))


def _is_file_grant(system: System, finding: Finding) -> bool:
    """Whether the finding is a missing capability that the engine's file can be given, since the container has it."""
    needed = {CAP_SYS_NICE, CAP_IPC_LOCK}
    return finding.check in {"real-time", "locked-memory"} and needed <= system.grantable()


def _refused(system: System, remedy: str) -> str:
    """Why a command cannot work here; empty if it can."""
    for words, path in _WRITES:
        if re.search(words, remedy) and system.read_only(path):
            return f"{path} is read-only here"
    if contained(system) and (
        re.search(r"\bsystemctl\b", remedy)
        or (re.search(r"\bswapoff\b", remedy) and CAP_SYS_ADMIN not in system.grantable())
    ):
        return "this is a container"
    return ""
