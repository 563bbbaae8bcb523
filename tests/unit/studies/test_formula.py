# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Formulas of study files: arithmetic and nothing else, and no value that the numbers do not give."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone.studies._formula import FormulaError, evaluate, names, parsed


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("1e9 / mean_ns", 4e5),
        ("bytes / time_ns * 1e3", 40.0),
        ("100 * (a + b) / (2 * a - -b)", 100 * 5 / 7),
        ("a - b - a", -3.0),
    ],
)
def test_it_is_arithmetic(formula: str, value: float) -> None:
    numbers = {"mean_ns": 2500, "bytes": 4000, "time_ns": 1e5, "a": 2, "b": 3}
    assert evaluate(formula, numbers) == pytest.approx(value)


@pytest.mark.parametrize(
    "formula",
    ["", "a b", "a ** b", "f(a)", "a.b", "a[0]", "'a'", "True", "a if b else a", "lambda: a", "a == b", "(a, b)", "~a"],
)
def test_nothing_else_is_a_formula(formula: str) -> None:
    with pytest.raises(FormulaError):
        parsed(formula)


def test_what_the_record_lacks_and_what_divides_by_zero_has_no_value() -> None:
    with pytest.raises(FormulaError, match="the record has no lost"):
        evaluate("lost / sent", {"sent": 1})
    with pytest.raises(FormulaError, match="sender_cpu_ns is 0"):
        evaluate("bytes / sender_cpu_ns", {"bytes": 1, "sender_cpu_ns": 0})


def test_its_names_are_told_once() -> None:
    assert names("a / (a + b)") == ("a", "b")


@given(st.text(max_size=40))
def test_any_text_is_a_formula_or_refused(text: str) -> None:
    try:
        parsed(text)
    except FormulaError:
        return
    try:
        evaluate(text, {})
    except FormulaError:
        return
