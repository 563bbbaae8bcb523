# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/how-to/gate-in-ci.md and measure-every-night.md, followed from an empty archive: commands and check files, on the simulated kernel.

Each command is taken from its page; a target and a smaller count are added, so that the two pages take about 40 s of CPU.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from support.command import rtstone as run

pytestmark = pytest.mark.usefixtures("simulated_engine")

SMALLER = ("20000", "1000")
"""5 repetitions of 1000 samples are enough to show p99.9 with 95 % confidence."""


def _commands(page: str) -> list[list[str]]:
    """Every `rtstone` command that a page shows on a line of its own, as words."""
    lines = re.findall(r"^ {4}rtstone (.*)$", page, re.MULTILINE)
    return [line.partition("#")[0].split() for line in lines]


def _page(root: Path, name: str) -> str:
    return (root / "docs" / "how-to" / name).read_text(encoding="utf-8")


def test_the_page_of_the_gate_works_as_printed_from_an_empty_archive(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = _page(root, "gate-in-ci.md")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 3, "the check file, the row of a baseline, and the file for a program of one's own"
    bounds, baseline, _ = blocks
    assert 'target = "local"' in bounds
    bounds = bounds.replace('target = "local"', 'target = "simulated"').replace(*SMALLER)
    gate = tmp_path / "gate.toml"
    gate.write_text(bounds, encoding="utf-8")
    measure, judge, save, together = _commands(page)

    assert measure == ["check", "gate.toml", "--measure"]
    first = run(*measure)
    assert first.stdout.rstrip().endswith("9 rows: 9 pass")
    assert run(*judge).stdout == first.stdout

    gate.write_text(bounds + baseline, encoding="utf-8")
    assert "labelled 'main'" in run(*judge, expect=2).stderr
    for _ in range(3):
        run(*(word.replace(*SMALLER) for word in save), "--target", "simulated")
    for _ in range(3):
        measured = run(*measure)
    assert "11 rows: 11 pass" in measured.stdout
    assert "3 against 1 run" in measured.stdout
    judged = run(*together)
    assert "11 rows: 11 pass" in judged.stdout
    assert "3 against 3 runs" in judged.stdout


def test_the_page_of_the_night_works_as_printed_from_an_empty_archive(root: Path, tmp_path: Path) -> None:
    page = _page(root, "measure-every-night.md")
    measure, judge, check, read, other = _commands(page)
    (bounds,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    file = tmp_path / "nightly.toml"
    file.write_text(bounds, encoding="utf-8")
    assert f"ExecStart=/usr/local/bin/rtstone {' '.join(check)}`" in page
    assert all(line.startswith("/") for line in re.findall(r"ExecStart=(\S+)", page))
    assert check[1].startswith("/"), "systemd starts a service in the folder /"
    for unit in ("ExecStart=/usr/local/bin/rtstone ", "- run: rtstone "):
        assert unit + " ".join(measure) in page
    assert "--fail-on-regression" in judge
    run(*judge, expect=2)
    for night in range(1, 13):
        # The p99.9 of the check file needs more samples than the history, and less than the page's command measures.
        run(*measure, "--target", "simulated", "--count", "5000" if night == 1 else "500")
        if night == 1:
            assert "2 rows: 2 pass" in " ".join(run(check[0], str(file), *check[2:]).stdout.split())
        if night in {1, 11}:  # the eleven nights that the page's SuccessExitStatus is about
            assert "too few runs" in run(*judge, expect=4).stderr
    assert "12 runs" in run(*judge).stdout
    assert "12 runs" in run(*read).stdout
    assert json.loads(run(*other).stdout)["series"]
