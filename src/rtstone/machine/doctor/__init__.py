# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks a machine before it is measured. Reports findings, their effect on a measurement, and their remedies."""

from __future__ import annotations

from rtstone.machine.doctor._finding import Finding, Level
from rtstone.machine.doctor._inside import true_here
from rtstone.machine.doctor.checks import CHECKS
from rtstone.machine.system import System

__all__ = ["CHECKS", "Finding", "Level", "System", "examine", "true_here"]


def examine(system: System | None = None) -> tuple[Finding, ...]:
    """Run every check on a machine (by default this one) and return the findings in the registry's order."""
    system = system or System()
    return tuple(true_here(system, finding) for check in CHECKS if (finding := check(system)) is not None)
