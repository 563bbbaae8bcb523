# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Another machine over the user's own OpenSSH: parses its address, copies the engine there, asks questions and runs
sessions."""

from __future__ import annotations

from rtstone.targets.remote._address import Address, parse
from rtstone.targets.remote._machine import ARCHITECTURES, Machine, machine
from rtstone.targets.remote._system import RemoteSystem

__all__ = ["ARCHITECTURES", "Address", "Machine", "RemoteSystem", "machine", "parse"]
