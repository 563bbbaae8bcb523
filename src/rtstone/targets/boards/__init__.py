# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Virtual boards: what each is, as data, and the images that run on it."""

from __future__ import annotations

from rtstone.targets.boards._command import command, option_value
from rtstone.targets.boards._model import Board, Driver, Hub, Kernel, Link, load, names

__all__ = ["Board", "Driver", "Hub", "Kernel", "Link", "command", "load", "names", "option_value"]
