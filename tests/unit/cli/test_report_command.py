# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone report` as a user types it: where files go, what is said, what is refused."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import msgspec
import pytest

from rtstone.archive import open_archive
from rtstone.cli import main
from rtstone.show.report import _bundle
from support.runs import make_result, make_run

Said = tuple[int, str, str]


@pytest.fixture(autouse=True)
def _runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs in the usual archive; the script that draws charts is not what these tests are about."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_bundle, "script", lambda: "window.vegaEmbed = null;")
    for name in ("r-1", "r-2"):
        open_archive().save(make_run(name, label=f"kernel of {name}", results=(make_result(count=50),)))


@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]) -> pytest.CaptureFixture[str]:
    return capfd


def _call(said: pytest.CaptureFixture[str], *arguments: str) -> Said:
    with pytest.raises(SystemExit) as ended:
        main(("report", *arguments))
    out, err = said.readouterr()
    return int(ended.value.code or 0), out, err


def test_default_is_the_last_run_in_a_file_named_by_it(said: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert _call(said) == (0, "rtstone-r-2.html\n", "")
    assert "kernel of r-2" in (tmp_path / "rtstone-r-2.html").read_text(encoding="utf-8")


def test_several_runs_in_one_page(said: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert _call(said, "r-1", "last", "r-1")[:2] == (0, "rtstone-r-1-and-1-more.html\n")
    page = (tmp_path / "rtstone-r-1-and-1-more.html").read_text(encoding="utf-8")
    assert "kernel of r-1" in page
    assert "kernel of r-2" in page


def test_output_by_flag_setting_and_dash(said: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert _call(said, "-o", "x.html")[1] == "x.html\n"
    (tmp_path / "rtstone.toml").write_text('[report]\noutput = "set.html"\ntheme = "dark"\n', encoding="utf-8")
    assert _call(said)[1] == f"{tmp_path}/set.html\n"
    assert 'data-theme="dark"' in (tmp_path / "set.html").read_text(encoding="utf-8")
    code, out, _ = _call(said, "-o", "-", "--theme", "light")
    assert code == 0
    assert out.startswith("<!doctype html>")
    assert 'data-theme="light"' in out


def test_report_of_a_file(said: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run = make_run("elsewhere", label="from a file", results=(make_result(count=20),))
    (tmp_path / "run.json").write_bytes(msgspec.json.encode(run))
    assert _call(said, "run.json")[1] == "rtstone-elsewhere.html\n"


def test_images(said: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = _call(said, "--format", "svg", "-o", "charts")
    assert code == 0
    assert sorted(out.split()) == sorted(str(path.relative_to(tmp_path)) for path in (tmp_path / "charts").iterdir())
    assert len(out.split()) == 3


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("nothing",), 2, "no run 'nothing'"),
        (("--format", "pdf"), 2, "unknown format 'pdf'. There are: html, png, svg"),
        (("--theme", "pink"), 2, "--theme pink: must be one of auto, light, dark"),
        (("missing.json",), 3, "missing.json: No such file or directory"),
        (("-o", "no/such/folder/r.html"), 3, "No such file or directory"),
        (("--format", "png", "-o", "rtstone-in-the-way"), 3, "File exists"),
    ],
)
def test_refusals(
    said: pytest.CaptureFixture[str], tmp_path: Path, arguments: tuple[str, ...], code: int, says: str
) -> None:
    (tmp_path / "rtstone-in-the-way").touch()
    ended, out, err = _call(said, *arguments)
    assert (ended, out) == (code, "")
    assert says in err
    assert err.startswith("rtstone: ")
    assert err.count("\n") == 1


def test_page_that_cannot_be_written_leaves_the_old_one(said: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "x.html").mkdir()
    code, _, err = _call(said, "-o", "x.html")
    assert (code, "x.html" in err) == (3, True)
    assert [path.name for path in tmp_path.glob(".x.html*")] == []


def test_a_checkout_ignores_the_files_that_reports_are_written_to_by_default(root: Path) -> None:
    ignored = (root / ".gitignore").read_text(encoding="utf-8").splitlines()
    for path in (
        "rtstone-r-2.html",
        "rtstone-r-1-and-1-more.html",
        "rtstone-compare-r-1-r-2.html",
        "rtstone-r-2-charts",
    ):
        assert any(fnmatch(f"/{path}", pattern.rstrip("/")) for pattern in ignored if pattern.startswith("/")), path
