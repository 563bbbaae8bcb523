# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What an engine is asked to measure: the plan as structures, and the lines that carry it (spec/plan.md)."""

from __future__ import annotations

from rtstone.stream.plan._duration import expected_seconds
from rtstone.stream.plan._model import Item, Plan
from rtstone.stream.plan._validate import validate
from rtstone.stream.plan._wire import decode, decode_echo, encode

__all__ = ["Item", "Plan", "decode", "decode_echo", "encode", "expected_seconds", "validate"]
