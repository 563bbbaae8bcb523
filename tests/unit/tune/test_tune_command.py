# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone tune` as typed: its refusals, and an experiment on simulated targets, judged again from the archive."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from rtstone.cli import main
from rtstone.tune.document import change as change_told
from rtstone.tune.document import sentences
from rtstone.tune.judge import FIGURES, Change, Report, Setting
from rtstone.tune.page import tuned_page
from support.explained import Page
from support.schemas import schema

HEAD = 'schema = "rtstone.tune"\nversion = "1.0"\n'
BAD = {
    "not a file": ("", 2, "there is no file or folder|No such file"),
    "no TOML": ("= 1", 2, "Invalid"),
    "wrong keys": (f"{HEAD}setting = 1\n", 2, "unknown key 'setting'. Did you mean 'settings'? There are: "),
    "no threads": (
        f'{HEAD}deadline = "1ms"\n[settings]\ncpu_dma_latency_us = [0, 1]\n',
        2,
        "name them with --for comm=NAME",
    ),
    "another schema": ('schema = "x"\nversion = "1.0"\n', 2, "Invalid enum value 'x'"),
    "newer": ('schema = "rtstone.tune"\nversion = "2.0"\n', 2, "reads 1.x"),
    "no settings": (HEAD, 2, "0 settings; an experiment has 1 to 16"),
    "too many": (HEAD + "[settings]\n" + "".join(f"'/proc/k{i}' = [0, 1]\n" for i in range(17)), 2, "17 settings"),
    "one level": (f"{HEAD}[settings]\nhuge-pages = ['never']\n", 2, "length 2"),
    "the same level": (f"{HEAD}[settings]\nhuge-pages = ['never', 'never']\n", 2, "same level twice"),
    "unreadable": (f"{HEAD}[settings]\n'/proc/sys/kernel/none-such' = [0, 1]\n", 2, "this machine has no"),
    "elsewhere": (f"{HEAD}[settings]\n'/etc/passwd' = [0, 1]\n", 2, "below /proc or /sys"),
    "too few samples": (f"{HEAD}count = 10\n[settings]\nhuge-pages = ['a', 'b']\n", 2, "takes 1000 samples"),
    "no such quantity": (
        f"{HEAD}quantity = 'x'\ntargets = ['simulated:steady', 'simulated:tails']\n",
        2,
        "quantity of interrupt-response",
    ),
    "words without a board": (f"{HEAD}target = 'simulated'\n[words]\na = ['', 'b']\n", 2, "a board's Linux"),
}


def _ended(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(words)
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


@pytest.mark.parametrize("case", BAD)
@pytest.mark.usefixtures("simulated_engine")
def test_bad_input_is_one_line(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, code, said = BAD[case]
    file = tmp_path / "settings.toml"
    if text:
        file.write_text(text)
    ended, out, err = _ended(["tune", str(file), "--archive", str(tmp_path / "a.sqlite")], capsys)
    assert (ended, out, err.count("\n")) == (code, "", 1), err
    assert any(part in err for part in said.split("|")), err


def test_one_thing_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["--restore", "--show", "last"]):
        assert _ended(["tune", *words], capsys)[0] == 2
    archive = str(tmp_path / "a.sqlite")
    code, _, err = _ended(["tune", "--show", "last", "--archive", archive], capsys)
    assert code == 2, err


def test_nothing_to_undo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert _ended(["tune", "--restore"], capsys)[:2] == (0, "nothing to undo\n")


@pytest.mark.usefixtures("simulated_engine")
def test_two_targets_are_a_factor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, archive, keep = tmp_path / "t.toml", str(tmp_path / "a.sqlite"), tmp_path / "keep.conf"
    file.write_text(
        f'{HEAD}targets = ["simulated:steady", "simulated:tails"]\nrounds = 2\ncount = 1000\nperiod = "1ms"\n'
    )
    code, out, err = _ended(["tune", str(file), "--archive", archive, "-q", "-o", str(keep)], capsys)
    assert (code, err) == (0, "")
    cells = out.splitlines()[1].split("\t")
    assert cells[0] == "targets"
    assert cells[-1] == "a trade", "the median is smaller with a tail that is longer"
    assert "The choice is yours" in keep.read_text()
    code, _, err = _ended(["tune", "--show", "last", "--archive", archive, "-o", str(keep)], capsys)
    assert code == 0, err
    assert f"no setting is shown to help: {keep} changes none" in err
    code, out, err = _ended(["tune", "--show", "last", "--archive", archive, "--json"], capsys)
    assert code == 0, err
    report = json.loads(out)
    jsonschema.validate(report, schema("tune"))
    changes = {one["figure"]: one for one in report["settings"][0]["changes"]}
    assert changes["max"]["low"] == changes["max"]["high"] > 50, "the simulation is exact"
    assert len(report["runs"]) == 2
    assert report["notes"] == [], "what is shown was not shown by too few"
    page = tmp_path / "t.html"
    assert _ended(["tune", "--show", "last", "--archive", archive, "-q", "-o", str(page)], capsys)[0] == 0
    seen = Page(page.read_text())
    assert [bar.title for bar in seen.bars] == [
        f"{name} {cell}" for name, cell in zip(FIGURES, cells[3:6], strict=True)
    ]
    assert "targets: simulated:steady → simulated:tails" in seen.text
    assert all(cell in seen.text for cell in cells)


def test_a_page_has_a_dot_in_each_interval_and_names_are_text() -> None:
    """Also where an interval has no end. Twice as much is as far from no change as half as much."""
    hostile = "</title><script>alert(1)</script>"
    ends = ((-0.5, 0.0, 1.0), (-0.2, 0.3, None), (-0.999, -0.6, -0.2))
    changes = tuple(
        Change(figure=figure, change=change, low=low, high=high, p=0.5, p_adjusted=1.0, shown=False)
        for figure, (low, change, high) in zip(FIGURES, ends, strict=True)
    )
    one = Setting(name=hostile, kind="setting", low=hostile, high="1", changes=changes, keep="no effect shown")
    report = Report(
        target="local",
        kernel="Linux",
        measurement="m",
        quantity="q",
        load="none",
        rounds=4,
        rounds_dropped=1,
        rows=32,
        alpha=0.05,
        tests=9,
        typical_ns={},
        settings=(one, one),
        interactions=(),
        runs=(),
    )
    page = Page(tuned_page(report))
    first = page.bars[:3]
    assert [bar.title for bar in first] == [f"{one.figure} {change_told(one)}" for one in changes]
    for bar, (dot, y) in zip(page.bars, page.dots, strict=True):
        assert bar.start <= dot <= bar.start + bar.width
        assert bar.top < y < bar.top + 20
    p50, without, far = first
    assert page.dots[0][0] == pytest.approx(p50.start + p50.width / 2, abs=1e-3)
    assert without.start + without.width == pytest.approx(100, abs=1e-3)
    assert far.start == 0
    assert len({bar.top for bar in page.bars}) == 6
    assert page.elements["script"] == 2
    assert hostile in page.text
    explained = [text for text in sentences(report) if "without 0" in text]
    assert [text.split(":")[0] for text in explained] == ["2 intervals without 0, and not shown"]
