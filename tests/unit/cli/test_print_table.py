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
