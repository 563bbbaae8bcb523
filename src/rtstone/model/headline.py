# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The main quantity of a run: the subject of its first sentence, and of its line on a page of machines."""

from __future__ import annotations

MAIN = (
    "thread-wake-up",
    "interrupt-task-response",
    "context-switch-delay",
    "interrupt-service-response",
    "total-response",
)
"""The main quantity of a run is the first of these that it measured;
if it measured none of these, the first that it measured."""
