# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line: one file a command; this one only names them.

A command's module has ``register(app)``. Modules are imported only when their command (or the list of all commands' help) is asked
for, so that ``rtstone --help`` stays fast: keep imports of heavy libraries inside the functions that use them.
"""

from __future__ import annotations

from rtstone.cli._app import main

__all__ = ["main"]
