# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Durations and shares are read in one way wherever they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone.cli import _values
from rtstone.judge.check import requirement
from rtstone.model.units import SHARES, TIMES_NS, duration_ns, share_of_one


@given(st.sampled_from(sorted(TIMES_NS)), st.integers(1, 10**6))
def test_every_unit_is_read_with_and_without_a_space(unit: str, number: int) -> None:
    assert duration_ns(f"{number}{unit}") == duration_ns(f" {number} {unit}") == number * TIMES_NS[unit]


@pytest.mark.parametrize("text", ["", "ms", "1", "1 x", "-1ms", "1e3us", "٣ms", "nan", "1ms2", "1..2s", "1 m"])
def test_what_is_no_duration(text: str) -> None:
    assert duration_ns(text) is None


def test_a_number_alone_has_the_unit_that_is_said() -> None:
    assert duration_ns("5", plain="s") == 5e9
    assert duration_ns("0", plain="ns") == 0
    assert share_of_one("95", plain="%") == pytest.approx(0.95)


@given(st.sampled_from(["", *SHARES]), st.integers(1, 99))
def test_shares(unit: str, number: int) -> None:
    assert share_of_one(f"{number}{unit}") == number * SHARES[unit]


@pytest.mark.parametrize("text", ["", "%", "x", "-1%", "1 percent"])
def test_what_is_no_share(text: str) -> None:
    assert share_of_one(text) is None


@pytest.mark.parametrize("unit", ["ns", "us", "µs", "μs", "ms", "s"])
def test_command_line_and_check_file_agree(unit: str) -> None:
    assert _values.time_ns("--deadline", f"3{unit}") == requirement(f"max < 3{unit}").limit
    assert _values.period_ns(f"3{unit}") == round(3 * TIMES_NS[unit])


@pytest.mark.parametrize(("text", "share"), [("95%", 0.95), ("95", 0.95), ("0.95", 0.95), ("99.9%", 0.999)])
def test_a_comparisons_confidence(text: str, share: float) -> None:
    assert _values.percent("--confidence", text, share_below=1.0) == pytest.approx(share)


def test_a_least_change_alone_is_percent_as_it_was() -> None:
    assert _values.percent("--least-change", "0.5") == _values.percent("--least-change", "0.5%") == 0.005
