# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone import` and `rtstone export` as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from rtstone.archive import open_archive
from support.command import rtstone

DATA = Path(__file__).parents[2] / "data" / "imports"


def test_imported_runs_are_runs(tmp_path: Path) -> None:
    """Kept, shown, reported, compared, checked, exported, and given back as they came."""
    where = ("--archive", str(tmp_path / "a.sqlite"))
    done = rtstone(
        "import",
        *where,
        "--together",
        "--label",
        "before",
        str(DATA / "cyclictest.json"),
        str(DATA / "cyclictest-h.txt"),
    )
    assert "imported imported-" in done.stdout
    assert "samples 8000" in done.stdout
    assert "warning: a period that has passed when cyclictest wakes is jumped over" in done.stderr
    rtstone("import", *where, "--label", "after", str(DATA / "cyclictest-H.txt"))
    shown = rtstone("show", "--tables", *where, "last~1").stdout
    assert "5/1265/12.7" in shown
    assert "degraded: a period that has passed when cyclictest wakes is jumped over" in shown
    assert "wakeup-latency-thread-0" in rtstone("compare", *where, "before", "after").stdout
    page = tmp_path / "page.html"
    rtstone("report", *where, "last", "-o", str(page))
    assert "wakeup-latency-thread-1" in page.read_text()
    check = tmp_path / "check.toml"
    head = 'schema = "rtstone.check"\nversion = "1.0"\n[[bound]]\nmeasurement = "cyclictest"\n'
    row = head + 'quantity = "wakeup-latency-thread-0"\nrequire = '
    check.write_text(row + '["max < 10ms"]\n')
    assert "1 row: 1 pass" in rtstone("check", *where, str(check), "last").stdout
    check.write_text(row + '["max < 1ms"]\n')
    rtstone("check", *where, str(check), "last", expect=1)
    check.write_text(row + '["loss = 0"]\n')
    assert "does not report lost samples" in rtstone("check", *where, str(check), "last", expect=4).stdout
    check.write_text(row.replace("thread-0", "thread-7") + '["max < 1ms"]\n')
    assert "thread-7" in rtstone("check", *where, str(check), "last", expect=2).stderr
    raw = rtstone("archive", "export", *where, "last", "--format", "raw").stdout
    assert raw == (DATA / "cyclictest-H.txt").read_text()
    out = tmp_path / "out.csv"
    rtstone("export", *where, "last", "--format", "csv", "-o", str(out))
    assert len(out.read_text().splitlines()) == 3


def test_nothing_is_kept_where_one_file_is_wrong(tmp_path: Path) -> None:
    place = tmp_path / "a.sqlite"
    bad = tmp_path / "bad.txt"
    bad.write_bytes((DATA / "oslat.txt").read_bytes()[:700])
    done = rtstone("import", "--archive", str(place), str(DATA / "oslat.json"), str(bad), expect=3)
    assert done.stderr.startswith(f"rtstone: {bad}:")
    assert done.stderr.count("\n") == 1
    assert not place.exists()
    rtstone("import", "--archive", str(place), str(DATA / "oslat.json"))
    again = rtstone("import", "--archive", str(place), str(DATA / "oslat.txt"), str(DATA / "oslat.json"), expect=3)
    assert "oslat.json was imported before: it is run imported-" in again.stderr
    assert len(open_archive(str(place)).list()) == 1
    assert list(tmp_path.glob("rtstone-unsaved-*")) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name the files to import"),
        (("--tool", "nosuch", "x"), "unknown importer 'nosuch'. There are: cyclictest"),
        (("--tick", "1 year", "x"), "--tick takes a time"),
        ((str(DATA / "rtems-rhealstone.txt"),), "add --tick 1ns"),
    ],
)
def test_wrong_words(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    assert said in rtstone("import", "--archive", str(tmp_path / "a.sqlite"), *words, expect=2).stderr


def test_lists(tmp_path: Path, root: Path) -> None:
    schema = json.loads((root / "spec/schema/imported.schema.json").read_text())
    listed = json.loads(rtstone("import", "--list", "--json").stdout)
    jsonschema.validate(listed, schema)
    where = ("--archive", str(tmp_path / "a.sqlite"))
    jsonschema.validate(json.loads(rtstone("import", *where, "--json", str(DATA / "oslat.json")).stdout), schema)
    tools = listed["tools"]
    assert [tool["tool"] for tool in tools][:3] == ["cyclictest", "hdrhistogram", "iperf3"]
    assert "openmetrics\t" in rtstone("export", "--list").stdout
    assert "unknown exporter 'xlsx'" in rtstone("export", "--format", "xlsx", expect=2).stderr
