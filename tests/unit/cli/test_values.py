# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of options: words, counts and times are read as written, and wrong ones are refused."""

from __future__ import annotations

import pytest

from rtstone.cli import _values
from rtstone.errors import UsageError


def test_names_come_in_lists_and_repeats_once_each() -> None:
    assert _values.words(["a,b", " b ", "c,"]) == ("a", "b", "c")
    for empty in ("", " ", ",", " , "):  # it would mean all there are
        with pytest.raises(UsageError, match="an empty word"):
            _values.words(["a", empty])
    assert _values.words(None) == ()


@pytest.mark.parametrize("value", [0, -1, 1 << 32])
def test_counts_are_positive(value: int) -> None:
    with pytest.raises(UsageError, match=f"--count takes a whole number from 1 to 4294967295, not {value}"):
        _values.positive("--count", value)
    assert _values.positive("--count", 1) == 1
    assert _values.positive("--count", None) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [("250us", 250_000), ("250 µs", 250_000), ("1ms", 1_000_000), ("0.5s", 500_000_000), ("4ns", 4)],
)
def test_periods_have_units(text: str, expected: int) -> None:
    assert _values.period_ns(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0", "--trace-over takes a time with its unit, above 0"),
        ("500", "--trace-over takes a time with its unit, .* not '500'"),
        ("soon", "not 'soon'"),
        ("5s", "not '5s'"),
    ],
)
def test_trails_are_of_samples_above_a_time(text: str, said: str) -> None:
    assert _values.trace_over(None) == 0
    assert _values.trace_over("100us") == 100_000
    with pytest.raises(UsageError, match=said):
        _values.trace_over(text)


@pytest.mark.parametrize("text", ["0", "4000", "0us", "-1ms", "5s", "1h", "", "ms", "1e3", "٣ms", "nan"])
def test_periods_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--period takes a time with its unit, above 0"):
        _values.period_ns(text)


def test_a_word_of_a_closed_list() -> None:
    assert _values.one_of("--sched", None, ("rt", "ts")) is None
    assert _values.one_of("--sched", "ts", ("rt", "ts")) == "ts"
    with pytest.raises(UsageError, match=r"unknown sched 'xx'\. There are: rt, ts"):
        _values.one_of("--sched", "xx", ("rt", "ts"))
