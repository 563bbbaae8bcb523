# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Parses the text after ``ssh:``, ``[user@]host[:port][?sudo]``. Refuses any text that a program could take for an
option."""

from __future__ import annotations

import re

import msgspec

from rtstone.errors import UsageError

_FORM = "ssh:[user@]host[:port][?sudo]"
_TEXT = re.compile(
    r"(?:(?P<user>[A-Za-z0-9_][A-Za-z0-9._-]{0,63})@)?"
    r"(?P<host>[A-Za-z0-9_][A-Za-z0-9._-]{0,254}|\[[0-9A-Fa-f:.]{2,45}(?:%[A-Za-z0-9._-]{1,16})?\])"
    r"(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<sudo>\?sudo)?",
    re.ASCII,
)


class Address(msgspec.Struct, frozen=True):
    """The machine, the user, and whether the engine runs as root there."""

    host: str
    """A name, a name of the user's ssh_config, or an address; IPv6 without its brackets."""
    user: str = ""
    port: int = 0
    """The port; 0: the one in the user's configuration."""
    sudo: bool = False

    @property
    def text(self) -> str:
        """The address as it is written after ``ssh:``."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        user = f"{self.user}@" if self.user else ""
        return f"{user}{host}{f':{self.port}' if self.port else ''}{'?sudo' if self.sudo else ''}"

    @property
    def words(self) -> tuple[str, ...]:
        """The arguments of OpenSSH that name the machine. Host and user cannot be taken for options."""
        port = ("-p", str(self.port)) if self.port else ()
        return (*port, "--", f"{self.user}@{self.host}" if self.user else self.host)


def parse(text: str) -> Address:
    """The address that a text names. Raises UsageError."""
    if not text:
        raise UsageError(f"the target 'ssh' needs a machine: {_FORM}")
    match = _TEXT.fullmatch(text)
    port = int(match["port"] or 0) if match else 0
    if match is None or port > 65535 or (match["port"] and not port):
        raise UsageError(f"'ssh:{text}' names no machine; a target is {_FORM}")
    return Address(match["host"].strip("[]"), match["user"] or "", port, sudo=match["sudo"] is not None)
