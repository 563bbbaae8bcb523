# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Another machine over the user's own OpenSSH: what a target's text names, the engine that is brought there, what is asked and run."""

from __future__ import annotations

from rtstone.targets.remote._address import Address, parse
from rtstone.targets.remote._engines import ARCHITECTURES
from rtstone.targets.remote._machine import Machine, machine
from rtstone.targets.remote._system import FarSystem

__all__ = ["ARCHITECTURES", "Address", "FarSystem", "Machine", "machine", "parse"]
