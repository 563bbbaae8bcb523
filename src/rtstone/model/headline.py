# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Which quantity a run's first sentence, and its line on a page of machines, is about."""

from __future__ import annotations

MAIN = (
    "thread-wake-up",
    "interrupt-task-response",
    "context-switch-delay",
    "interrupt-service-response",
    "total-response",
)
"""The main quantity of a run is the first of these that it measured; of a run that measured none, the first that it measured."""
