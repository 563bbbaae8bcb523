# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of nodes: machines of which each is measured by a worker of its own, as `local@NODE`."""

from __future__ import annotations

import re

NODE = "local@"
"""What the place of a measurement begins with that only the worker of that node takes."""


def is_node(text: str) -> bool:
    """Whether it is a node's name, as Kubernetes has them: letters, digits, '.', '_' and '-', at most 253 characters."""
    return re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}", text) is not None
