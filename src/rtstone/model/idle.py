# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Limits for an idle machine: the share of the measured CPU that others may take before its figures are doubted."""

from __future__ import annotations

OTHERS = "cpu.measured.others_percent"
"""The fact of a run's host with the share of the measured CPU that other programs used."""
STEAL = "cpu.measured.steal_percent"
"""The fact of a run's host with the share that the hypervisor took for others."""

OTHERS_MOST = 3.0
"""Percent. An idle CPU has its ticks and a few kernel threads; a higher share comes from other programs."""
STEAL_MOST = 0.5
"""Percent."""
