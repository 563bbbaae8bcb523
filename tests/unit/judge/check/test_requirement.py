# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Requirements as they are written: their meaning, and the forms that are refused."""

from __future__ import annotations

import pytest

from rtstone.errors import UsageError
from rtstone.judge.check import requirement
from rtstone.judge.check._requirement import contradiction, percent


@pytest.mark.parametrize(
    ("text", "subject", "operator", "limit"),
    [
        ("p99.99 < 80us", "statistic", "<", 80_000),
        ("max<150 µs", "statistic", "<", 150_000),
        ("  median <= 1.5ms ", "statistic", "<=", 1.5e6),
        ("mean > 2s", "statistic", ">", 2e9),
        ("exceedance(100us) < 1e-6", "exceedance", "<", 1e-6),
        ("exceedance( 1 ms ) <= 2%", "exceedance", "<=", 0.02),
        ("exceedance(1ms) < 3 ppm", "exceedance", "<", 3e-6),
        ("loss = 0", "loss", "=", 0),
        ("loss <= 3", "loss", "<=", 3),
        ("loss <= 0", "loss", "<=", 0),
        ("loss < 1", "loss", "<", 1),
        ("sd <= 2ns", "statistic", "<=", 2),
        ("min >= 1e-3us", "statistic", ">=", 1),
    ],
)
def test_what_is_written_is_understood(text: str, subject: str, operator: str, limit: float) -> None:
    found = requirement(text)
    assert (found.subject, found.operator) == (subject, operator)
    assert found.limit == pytest.approx(limit)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("p99 80us", "no requirement"),
        ("", "no requirement"),
        ("p99 < 5%", "no unit of time"),
        ("p99 < 80", "has no unit of time"),
        ("p99 < -3us", "says nothing"),
        ("p99 < 0us", "says nothing"),
        ("p99 < 80 parsec", "no unit of time"),
        ("p99 < 1e999us", "no number"),
        ("p99 = 80us", "equals"),
        ("p100 < 80us", "no statistic"),
        ("worst < 80us", "no statistic"),
        ("max(3us) < 80us", "only exceedance"),
        ("exceedance < 1e-6", "exceedance needs a limit"),
        ("exceedance(100) < 1e-6", "has no unit of time"),
        ("exceedance(100us) < 3us", "a share"),
        ("exceedance(100us) < 1.5", "between 0 and 1"),
        ("exceedance(100us) < 0", "max <= 100us"),
        ("exceedance(100us) > 0.1", "bounded from above"),
        ("loss = 3us", "whole number"),
        ("loss < 0", "no loss"),
        ("loss = 0.5", "whole number"),
        ("loss > 3", "no loss"),
        ("loss = -1", "whole number"),
        ("loss >= 0", "no loss"),
        ("sd > 3us", "no requirement"),
        ("sd >= 3us", "no requirement"),
        ("exceedance() < 1%", "needs a limit"),
        ("exceedance(1us) < 100%", "between 0 and 1"),
        ("exceedance(0us) < 1%", "must be above 0"),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        requirement(text)


def test_an_exceedance_counts_above_its_time() -> None:
    assert (requirement("exceedance(1.5 ms) < 1e-6").above_ns, requirement("max < 1us").above_ns) == (1.5e6, 0)


@pytest.mark.parametrize(
    ("value", "change"), [("2%", 0.02), ("0%", 0), (" 1.5 %", None), ("-1%", None), ("2", None), ("2ppm", None)]
)
def test_a_change_is_in_percent(value: str, change: float | None) -> None:
    if change is None:
        with pytest.raises(UsageError, match="allow = "):
            percent(value, "allow")
    else:
        assert percent(value, "allow") == pytest.approx(change)


@pytest.mark.parametrize(
    ("texts", "clash"),
    [
        (("p50 > 20us", "p99 < 10us"), True),
        (("p50 > 20us", "max < 20us"), True),
        (("min > 20us", "mean < 10us"), True),
        (("mean > 20us", "max < 10us"), True),
        (("p99 > 20us", "p50 < 10us"), False),
        (("p50 > 10us", "p99 < 20us"), False),
        (("max < 20us", "loss = 0", "min >= 20us"), True),
        (("p50 > 20us", "p50 <= 20us"), True),
        (("p50 >= 20us", "p50 < 20us"), True),
        (("p50 >= 20us", "p50 <= 20us"), False),  # exactly 20 us
        (("p50 >= 20.1us", "p50 <= 20us"), True),
        (("mean > 20us", "mean < 20us"), True),
        (("mean > 20us", "min < 10us"), False),
        (("max > 20us", "mean < 10us"), False),
        (("p99 > 20us", "mean < 10us"), False),
        (("min > 20us", "sd < 10us"), False),
        (("min > 20us", "exceedance(10us) < 1%"), False),
        (("p50 < 10us", "p99 < 20us", "loss = 0"), False),
        (("mean > 20us", "p99 < 10us"), False),  # a few very large ones may do that
    ],
)
def test_requirements_that_cannot_both_hold(texts: tuple[str, ...], clash: bool) -> None:
    assert (contradiction(tuple(map(requirement, texts))) is not None) == clash
