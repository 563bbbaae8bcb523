# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of nodes, as `local@NODE`: machines that are each measured by their own worker."""

from __future__ import annotations

import re

NODE = "local@"
"""Prefix of a measurement's place that only the worker of that node serves."""


def is_node(text: str) -> bool:
    """Whether it is a node's name, as in Kubernetes: letters, digits, '.', '_' and '-', at most 253 characters."""
    return re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}", text) is not None
