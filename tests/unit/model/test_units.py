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


@pytest.mark.parametrize(
    ("ns", "digits", "expected"),
    [
        (0.0, 3, "0 ns"),
        (999.4, 3, "999 ns"),
        (999.7, 3, "1.00 µs"),  # rounding reaches 1000: the next unit, not "1000 ns" or "1e+03 ns"
        (999.7, 4, "999.7 ns"),
        (999.97, 4, "1.000 µs"),
        (-999.7, 3, "-1.00 µs"),
        (999_700.0, 3, "1.00 ms"),
        (999_700_000.0, 3, "1.00 s"),
        (1.5e9, 3, "1.50 s"),  # not "1.5e+03 ms"
        (1_000_400.0, 4, "1.000 ms"),
        (1_000_600.0, 4, "1.001 ms"),  # beside a bound of 1 ms
        (5e12, 3, "5000 s"),
    ],
)
def test_a_time_is_in_the_unit_in_which_it_is_below_a_thousand(ns: float, digits: int, expected: str) -> None:
    assert form.duration(ns, digits=digits) == expected


@given(st.floats(min_value=0.001, max_value=1e15), st.integers(2, 5))
def test_a_time_is_right_to_its_last_digit(ns: float, digits: int) -> None:
    text = form.duration(ns, digits=digits)
    assert form.duration_ns(text) == pytest.approx(ns, rel=0.5001 * 10 ** (1 - digits))
    shown = text.split()[0]
    assert "e" not in shown
    assert float(shown) < 1000 or text.endswith(" s")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("250us", "250 µs"),
        ("1000000 ns", "1 ms"),
        ("1.5ms", "1.5 ms"),
        ("0.3 ms", "300 µs"),
        ("90 s", "90 s"),
        ("1ns", "1 ns"),
    ],
)
def test_a_time_that_was_typed_is_written_as_it_was_typed(text: str, expected: str) -> None:
    assert form.written(form.duration_ns(text) or 0) == expected


@given(st.integers(0, 10**11))
def test_a_written_time_is_read_back(ns: int) -> None:
    assert form.duration_ns(form.written(ns)) == pytest.approx(ns, rel=1e-11)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        *((0, "0 s"), (0.25, "250 ms"), (3, "3 s"), (9.96, "10 s"), (89, "89 s"), (600, "10 min"), (7200, "2.0 h")),
        *((129_600, "1.5 days"), (1e9, "11 574 days")),
    ],
)
def test_a_time_to_wait_is_in_the_units_in_which_people_wait(seconds: float, expected: str) -> None:
    assert form.waiting(seconds) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((0.0, "0.000"), (0.0804, "0.080"), (1.25, "1.250"), (12.345, "12.35"), (123.45, "123.5"), (9.9996, "10.00")),
        *((1234.5, "1234"), (12345.6, "12 346"), (9_999.7, "10 000")),
    ],
)
def test_a_figure_in_a_column_has_four_digits_and_its_thousands_apart(value: float, expected: str) -> None:
    assert form.in_column(value) == expected


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
