# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How idle an idle machine must be: what others may take of the measured CPU before its figures are doubted."""

from __future__ import annotations

OTHERS = "cpu.measured.others_percent"
"""The fact of a run's host that says which share of the measured CPU other programs used."""
STEAL = "cpu.measured.steal_percent"
"""The one that says which share the hypervisor took for others."""

OTHERS_MOST = 3.0
"""Percent. An idle CPU has its ticks and a few kernel threads; what is above this was somebody."""
STEAL_MOST = 0.5
"""Percent."""
