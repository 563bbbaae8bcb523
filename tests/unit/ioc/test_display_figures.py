# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How the IOC's screen writes numbers."""

from __future__ import annotations

import math

import pytest

from rtstone.ioc.display.figures import figure_text, typed


@pytest.mark.parametrize(
    ("value", "unit", "precision", "text"),
    [
        (83, "ns", 0, "0.083 µs"),
        (-21, "ns", 0, "-0.021 µs"),
        (13_204, "ns", 0, "13.20 µs"),
        (376_512, "ns", 0, "376.5 µs"),
        (22_512_000, "ns", 0, "22 512 µs"),
        (2_147_483_647, "ns", 0, "2 147 484 µs"),
        (1_234_567, "samples", 0, "1 234 567"),
        (7, "", 0, "7"),
        (1_040_220, "kB", 0, "1 040 220 kB"),
        (0.8141, "%", 3, "0.814 %"),
        (1_234_567.0, "samples", 0, "1 234 567"),
        (float("nan"), "%", 3, "–"),
        (float("nan"), "ns", 0, "–"),
    ],
)
def test_a_number_with_its_unit(value: float, unit: str, precision: int, text: str) -> None:
    assert figure_text(value, unit, precision) == text


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [
        ("100", "ns", 100_000),
        ("2.5 µs", "ns", 2_500),
        ("2.5us", "ns", 2_500),
        ("1,000", "samples", 1_000),
        ("1 000", "samples", 1_000),
        (" 7 ", "samples", 7),
        ("-1", "samples", -1),
        ("0.1", "ns", 100),
        ("3000000", "ns", 3_000_000_000),
        ("1e99", "ns", 1e102),
        ("inf", "ns", math.inf),
        ("", "samples", math.nan),
        ("many", "ns", math.nan),
        ("nan", "ns", math.nan),
        ("100 ms", "ns", math.nan),
    ],
)
def test_what_was_typed(text: str, unit: str, number: float) -> None:
    """As the record is to have it, or to refuse it: no number is NaN."""
    assert typed(text, unit) == pytest.approx(number, rel=1e-15, nan_ok=True)
