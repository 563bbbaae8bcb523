# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A table at a terminal: no name in it is cut, so no two rows look the same."""

from __future__ import annotations

import sys

import pytest

from rtstone.cli._output import print_table

NAME = "interrupt-task-response of a run with a long label, measured under the load cpu, number "


@pytest.mark.parametrize("name", ["short ", NAME])
def test_no_name_is_cut_at_80_columns(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")  # no escape sequences
    reason = "the observed share of misses is too near to the one that is allowed"
    print_table(("what", "verdict", "why"), [(f"{name}one", "pass", reason), (f"{name}two", "pass", reason)])
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    for number in ("one", "two"):
        assert number in out
    assert (f"{name}one" in out) == (name != NAME), "a short name stays in one line"


def test_columns_without_room_continue_below_and_no_word_is_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    headings = ("outcome", "quantity", "load", "requirement", "observed", "interval", "samples")
    rows = [
        ("inconclusive", "interrupt-task-response", load, "exceedance(100us) < 1e-3", "0.358", "0.325 … 0.391", "3000")
        for load in ("none", "cpu")
    ]
    print_table(headings, rows, right=frozenset({4, 6}))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split() for line in lines[:2]] == [[*headings[:4]], [*headings[4:]]]
    assert len(lines) == 2 + 1 + 2 * 2
    words = " ".join(lines).split()
    assert all(words.count(word) >= 2 for row in rows for cell in row[:2] + row[3:] for word in cell.split())
