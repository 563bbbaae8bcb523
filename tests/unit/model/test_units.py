# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers as cells show them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone.model import units as form


@pytest.mark.parametrize(
    ("value", "quantum", "expected"),
    [
        (0.0, 0.0, "0.00"),
        (0.03162, 0.0, "0.0316"),
        (0.3162, 0.0, "0.316"),
        (3.162, 0.0, "3.16"),
        (31.62, 0.0, "31.6"),
        (316.2, 0.0, "316"),
        (3162.0, 0.0, "3162"),
        (10050.4, 0.0, "10050"),
        (9.996, 0.0, "10.0"),
        (99.96, 0.0, "100"),
        (0.9996, 0.0, "1.00"),
        (-3.162, 0.0, "-3.16"),
        (-0.0001, 0.01, "0.00"),
        (0.0314, 0.0417, "0.03"),  # a 24 MHz clock cannot show tenths of its tick
        (6.25, 6.25, "6"),
        (0.0062, 0.0005, "0.0062"),
    ],
)
def test_numbers_have_three_digits_and_none_that_the_clock_cannot_show(
    value: float, quantum: float, expected: str
) -> None:
    assert form.number(value, quantum) == expected


@given(st.floats(min_value=1e-4, max_value=1e7))
def test_a_number_is_right_to_its_last_digit(value: float) -> None:
    text = form.number(value)
    assert abs(float(text) - value) <= max(0.5, 0) if value >= 100 else abs(float(text) - value) <= value * 0.00501


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="no figure"):
        form.number(float("nan"))


def test_units_suit_the_size() -> None:
    assert form.duration(0.5) == "0.500 ns"
    assert form.duration(6250.0) == "6.25 µs"
    assert form.duration(2.5e6) == "2.50 ms"
    assert form.duration(3e9) == "3.00 s"
    assert form.frequency(2_100_000_000) == "2.1 GHz"
    assert form.frequency(24_000_000) == "24 MHz"
    assert form.frequency(32_768) == "32.77 kHz"
    assert form.frequency(100) == "100 Hz"
    assert form.count(9999) == "9999"
    assert form.count(2_000_000) == "2 000 000"
    assert form.marks((1, 12)) == "¹,¹²"
