# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone compare` as a user types it: which runs are meant, what is printed and written, which exit code it ends with."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import msgspec
import pytest

from rtstone.archive import open_archive
from rtstone.cli import main
from rtstone.show.report import _bundle
from support.repeated import on_board, repeated
from support.schemas import schema

Said = tuple[int, str, str]
GOOD, WORSE = "good,g2,g3", "worse, w2,w3"
"""Three runs a side."""


@pytest.fixture(autouse=True)
def _runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two kernels of a board that were measured together, then a run of this machine and one that is worse."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_bundle, "script", lambda: "window.vegaEmbed = null;")
    archive = open_archive()
    archive.save(on_board(repeated("k-one", label="", group="group-1", count=300), "one"))
    archive.save(on_board(repeated("k-two", label="", group="group-1", count=300, typical=20_000), "two"))
    for number in (2, 3):
        archive.save(repeated(f"g{number}", label="comma, A", count=300, seed=10 + number))
        archive.save(repeated(f"w{number}", count=300, typical=14_000, seed=20 + number))
    archive.save(repeated("good", label="before", count=300))
    archive.save(repeated("worse", label="after", count=300, typical=14_000, seed=2))


@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]) -> pytest.CaptureFixture[str]:
    return capfd


def _call(said: pytest.CaptureFixture[str], *arguments: str) -> Said:
    with pytest.raises(SystemExit) as ended:
        main(("compare", *arguments))
    out, err = said.readouterr()
    return int(ended.value.code or 0), out, err


def _sides(out: str) -> list[str]:
    return [line.split("run ")[1].split(",")[0] for line in out.splitlines() if line[1:3] == "  " and "run " in line]


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (("good", "worse"), ["good", "worse"]),
        (("last~1", "last"), ["good", "worse"]),
        (("before", "after"), ["good", "worse"]),
        (("goo", "wor"), ["good", "worse"]),
        (("comma, A~1", "comma, A"), ["g2", "g3"]),
        (("board:toy/two", "board:toy/one"), ["k-two", "k-one"]),
        (("group-1",), ["k-one", "k-two"]),
        (("k-one@*",), ["k-one", "k-two"]),
        (("k-one@board:toy/two", "k-one@board:toy/one"), ["k-two", "k-one"]),
        (("group-1@board:toy/t*", "k-one"), ["k-two", "k-one"]),
    ],
)
def test_runs_are_named_by_id_place_label_target_and_group(
    said: pytest.CaptureFixture[str], arguments: tuple[str, ...], meant: list[str]
) -> None:
    code, out, err = _call(said, *arguments)
    assert (code, err) == (0, "")
    assert _sides(out) == meant


def test_files_of_both_kinds(said: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run = repeated("elsewhere", count=300, seed=3)
    (tmp_path / "one.json").write_bytes(msgspec.json.encode(run))
    document = {"schema": "rtstone.runs", "version": "1.0", "runs": [run, repeated("another")], "studies": []}
    (tmp_path / "two.json").write_bytes(msgspec.json.encode(document))
    assert _sides(_call(said, "good", "one.json")[1]) == ["good", "elsewhere"]
    assert _sides(_call(said, "good", "two.json")[1]) == ["good", "elsewhere", "another"]


def test_the_table_says_what_regressed_and_by_how_much(said: pytest.CaptureFixture[str]) -> None:
    out = _call(said, GOOD, WORSE)[1]
    (line,) = [line for line in out.splitlines() if line.startswith("  median")]
    assert line.endswith("regressed")
    assert "3 runs (good, g2, g3), 15 repetitions" in out
    assert "drift between" not in out, "they are said to have been made at one time"
    assert "changes between the environments" in out
    assert "nothing that is on record" in out
    assert "4 figures: 3 regressed (the greatest: p99 of semaphore-ping, idle, +42 %)" in " ".join(out.split())


def test_one_run_a_side_speaks_of_these_runs(said: pytest.CaptureFixture[str]) -> None:
    out = _call(said, "good", "worse")[1]
    (line,) = [line for line in out.splitlines() if line.startswith("  median")]
    assert line.endswith("longer within these runs")
    assert "improved" not in out
    assert "regressed" not in out
    assert "compare A1,A2,A3 B1,B2,B3" in " ".join(out.split())


def test_a_label_with_a_comma_is_one_run_and_no_run_is_on_two_sides(
    said: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert _sides(_call(said, "good", "comma, A")[1]) == ["good", "g3"]
    for name in ("one", "two"):
        (tmp_path / f"{name}.json").write_bytes(msgspec.json.encode(repeated(f"f-{name}", count=300)))
    assert "3 runs (worse, f-one, f-two)" in _call(said, "good", "worse,one.json,two.json")[1]
    for arguments, says in (
        (("good,g2", "g2,g3"), "run g2 is on two sides"),
        (("good,g2", "g2"), "run g2 is on two sides"),
        (("good,,g2", "worse"), "with none left empty"),
        (("good,nowhere", "worse"), "nowhere"),
    ):
        code, _, err = _call(said, *arguments)
        assert (code, says in err) == (2, True), err


def test_only_what_changed(said: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "same.json").write_bytes(msgspec.json.encode(repeated("same", count=300, seed=9)))
    out = _call(said, "good", "same.json")[1]
    assert "semaphore-ping, idle" not in out
    assert re.search(
        r"3 figures without a difference\. In half of them a change would have shown from this size on: median [0-9.]+ %, ",
        " ".join(out.split()),
    )
    assert _call(said, "good", "same.json", "--changed")[1] == out
    assert "semaphore-ping, idle" in _call(said, "good", "same.json", "--full")[1]
    assert "semaphore-ping, idle" in _call(said, "good", "worse")[1]


def test_runs_that_bear_no_verdict_are_one_sentence(said: pytest.CaptureFixture[str]) -> None:
    """Two runs of `make run` gave 1,053 lines, none of them a verdict."""
    once = repeated("once", count=300, repetitions=1)
    open_archive().save(msgspec.structs.replace(once, label="once"))
    out = _call(said, "good", "once")[1]
    assert "3 figures without a verdict (insufficient data): 5 against 1 repetition" in " ".join(out.split())
    assert "semaphore-ping" not in out
    assert "semaphore-ping" in _call(said, "good", "once", "--full")[1]


def test_exit_codes(said: pytest.CaptureFixture[str]) -> None:
    assert _call(said, "good", "worse")[0] == 0
    code, out, err = _call(said, "good", "worse", "--fail-on-regression")
    assert (code, "shows nothing about other runs" in err) == (4, True)
    code, out, err = _call(said, GOOD, WORSE, "--fail-on-regression")
    assert code == 1
    assert "regressed" in out
    assert err.startswith("rtstone: regressed: semaphore-ping, idle, median")
    assert _call(said, WORSE, GOOD, "--fail-on-regression")[0] == 0
    code, _, err = _call(said, "good", "k-one", "--fail-on-regression")
    assert (code, "nothing could be judged" in err) == (4, True)
    assert _call(said, "good", "k-two", "--fail-on-regression", "--unlike")[0] == 4
    assert _call(said, "k-one", "k-two", "--fail-on-regression")[0] == 1, "a board's seeds are the population"


def test_sides_without_a_common_figure_are_inconclusive(said: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    other = repeated("other", count=300)
    sessions = tuple(
        msgspec.structs.replace(
            one, results=tuple(msgspec.structs.replace(r, measurement="fork", quantity="fork") for r in one.results)
        )
        for one in other.sessions
    )
    open_archive().save(msgspec.structs.replace(other, sessions=sessions))
    for more in ((), ("--fail-on-regression",)):
        code, out, err = _call(said, "good", "other", *more)
        assert (code, err) == (4, "rtstone: nothing was compared: no figure is in the reference and in another side\n")
        assert out.splitlines()[-1].startswith("nothing in common; ")
    code, out, _ = _call(said, "good", "other", "--json")
    assert (code, json.loads(out)["rows"]) == (4, [])
    code, _, err = _call(said, "good", "other", "-o", "x.html")
    assert (code, (tmp_path / "x.html").is_file()) == (4, True)
    assert err.startswith("x.html\n")
    assert _call(said, "good", "other", "worse")[0] == 0, "one other side has the figure"


def test_json_fits_its_schema(said: pytest.CaptureFixture[str]) -> None:
    code, out, err = _call(said, "good", "worse", "k-one", "--json")
    assert (code, err) == (0, "")
    jsonschema.validate(json.loads(out), schema("comparison"))


def test_a_page_and_the_table(said: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, err = _call(said, GOOD, WORSE, "-o", "x.html")
    assert (code, err) == (0, "x.html\n")
    assert "regressed" in out
    assert 'id="comparison"' in (tmp_path / "x.html").read_text(encoding="utf-8")


def test_images(said: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = _call(said, "good", "worse", "--format", "svg", "-o", "charts")
    assert code == 0
    assert "charts/comparison-1.svg" in out.split()
    assert sorted(out.split()) == sorted(str(path.relative_to(tmp_path)) for path in (tmp_path / "charts").iterdir())


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("good",), 2, "at least two different runs"),
        (("good", "good"), 2, "at least two different runs"),
        (("good", "nothing"), 2, "by id, label or target. `rtstone archive list` shows the runs"),
        (("good@local", "worse"), 2, "run 'good' was measured by itself"),
        (("group-9", "worse"), 2, "there is no group 'group-9'"),
        (("group-1@board:toy/three", "worse"), 2, "it has: board:toy/one, board:toy/two"),
        (("good", "missing.json"), 3, "missing.json: No such file"),
        (("good", "broken.json"), 3, "broken.json is damaged"),
        (("good", "worse", "--format", "pdf"), 2, "unknown format 'pdf'"),
        (("good", "worse", "--format", "png"), 2, "name their folder by --output"),
        (("good", "worse", "-o", "x.doc"), 2, "ends in .html or .json"),
        (("good", "worse", "--statistic", "p200"), 2, "no statistic"),
        (("good", "worse", "--confidence", "100"), 2, "confidence lies between"),
    ],
)
def test_refusals(
    said: pytest.CaptureFixture[str], tmp_path: Path, arguments: tuple[str, ...], code: int, says: str
) -> None:
    (tmp_path / "broken.json").write_text('{"schema": "rtstone.run", "vers', encoding="utf-8")
    ended, out, err = _call(said, *arguments)
    assert (ended, out) == (code, "")
    assert says in err
    assert err.count("\n") == 1
