# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The machine that a command inspects: this one, or one over ssh."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rtstone.errors import UsageError
from rtstone.machine.system import System

if TYPE_CHECKING:
    from rtstone.targets.ssh import SshTarget

HELP = "The machine: local, or ssh:[user@]host[:port][?sudo] (?sudo: as root)."


def remote_target(target: str) -> SshTarget | None:
    """The target of a machine over ssh; None: this machine. Raises UsageError for a target that cannot be inspected."""
    kind, _, rest = target.partition(":")
    if target == "local":
        return None
    if kind != "ssh":
        raise UsageError(
            f"--target {target}: this command reads a machine with an operating system: local, or ssh:[user@]host"
        )
    from rtstone.targets.ssh import open_ssh

    return open_ssh(rest)


@contextmanager
def looked_at(target: str) -> Iterator[System]:
    """The system of a machine. Raises UsageError, and InfrastructureError where the machine cannot be reached."""
    far = remote_target(target)
    if far is None:
        yield System()
        return
    from rtstone.cli._engine_lists import remote_list

    listed = remote_list(far.name)
    with far.system() as system:
        system.program = far.program
        system.capabilities = listed.capabilities_mask
        yield system
