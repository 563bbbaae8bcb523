# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`import rtstone`: the page's example runs, the figures are those of the run, and nothing heavy comes with the import."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

import rtstone
from rtstone.archive import open_archive
from rtstone.errors import UsageError
from rtstone.show.exporters import named
from support.command import environment
from support.runs import make_run, make_session

FIRST = make_run(
    "20260101T000000-0001", sessions=tuple(make_session(make_run().results(), repetition=n) for n in range(2))
)
SECOND = make_run("20260102T000000-0002", seed=9)


@pytest.fixture
def archive(tmp_path: Path) -> rtstone.Archive:
    kept = open_archive(str(tmp_path / "a.sqlite"))
    for run in (FIRST, SECOND):
        kept.save(run)
    return rtstone.open(tmp_path / "a.sqlite")


def test_the_example_of_the_page(
    archive: rtstone.Archive, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (root / "docs/reference/python-api.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert found is not None
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RTSTONE_ARCHIVE", str(tmp_path / "a.sqlite"))
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(found[1], "python-api.md", "exec"), {})  # noqa: S102 - the documentation's own words
    assert SECOND.id in said.getvalue()
    assert (tmp_path / "semaphore-ping.svg").read_text().startswith("<svg")
    assert (tmp_path / "both.png").read_bytes().startswith(b"\x89PNG")


def test_results_by_column(archive: rtstone.Archive) -> None:
    found = archive.results("queue-fill", load="cpu")
    assert [(row.run, row.pass_) for row in found] == [
        *[(SECOND.id, "single"), (SECOND.id, "batch")],
        *[(FIRST.id, "single"), (FIRST.id, "batch")] * 2,
    ]
    highest = found.column("max_ns")
    assert highest.dtype == np.float64
    assert list(highest) == [row.max_ns for row in found]
    assert found.to_numpy()["max_ns"].tolist() == highest.tolist()
    assert found.to_dict()["run"] == [row.run for row in found]
    assert set(found.units) < set(found.columns)
    assert len(found[:2]) == 2
    assert len(archive.results("queue-fill", load="cpu", limit=3)) == 3
    skipped = archive.results("suspend-resume")
    assert np.isnan(skipped.column("max_ns")).all()
    assert set(skipped.column("status")) == {"skipped"}
    with pytest.raises(KeyError, match="no column 'p98_ns'"):
        found.column("p98_ns")


def test_every_column_has_the_type_of_its_values(archive: rtstone.Archive) -> None:
    found = archive.results("queue-fill")
    assert found.column("meaning").tolist() == [row.meaning for row in found]
    for name in found.columns:
        values = found.column(name).tolist()
        own = [getattr(row, "pass_" if name == "pass" else name) for row in found]
        assert values == own, name
        assert list(map(type, values)) == list(map(type, own)), name


def test_a_quantity_is_its_repetitions_pooled(archive: rtstone.Archive) -> None:
    run = archive.run(FIRST.id)
    ping = run.quantity("semaphore-ping", load="none", pass_="single")
    results = [r for r in FIRST.results() if r.quantity == "semaphore-ping" and r.variant == ping.variant]
    assert (ping.repetitions, ping.count) == (2, sum(r.count for r in results))
    assert ping.max_ns == pytest.approx(max(r.max for r in results if r.max is not None), rel=15e-6)
    assert ping.buckets()["count"].sum() + ping.overflow == ping.count
    batch = run.quantity("semaphore-ping", load="none", pass_="batch")
    totals = [r for r in FIRST.results() if r.quantity == "semaphore-ping" and r.variant == batch.variant]
    assert batch.mean_ns == pytest.approx(
        sum(r.sum for r in totals) / sum(r.count for r in totals) / totals[0].ops, rel=15e-6
    )
    with pytest.raises(
        UsageError, match=r"under 4 variants: say which \(pass_='batch', 'single'; load='cpu', 'none'\)"
    ):
        run.quantity("semaphore-ping")
    with pytest.raises(UsageError, match=r"unknown quantity of run .* 'nosuch'\. There are: semaphore-ping"):
        run.quantity("nosuch")
    with pytest.raises(UsageError, match=r"'semaphore-pong'\. Did you mean 'semaphore-ping'\?"):
        run.quantity("semaphore-pong")
    with pytest.raises(
        UsageError, match=r"has no 'semaphore-ping' like that: pass_='batch', 'single'; load='cpu', 'none'"
    ):
        run.quantity("semaphore-ping", load="disk")
    with pytest.raises(UsageError, match=r"'semaphore-pong'\. Did you mean 'semaphore-ping'\?"):
        run.plot("semaphore-pong")
    with pytest.raises(UsageError, match=r"unknown field of a variant 'lode'\. Did you mean 'load'\?"):
        run.quantity("semaphore-ping", lode="cpu")
    with pytest.raises(UsageError, match="unknown chart 'pie'"):
        run.plot("semaphore-ping", "pie")
    with pytest.raises(UsageError, match="unknown quantity of these runs 'suspend-resume'"):
        run.plot("suspend-resume")


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(named("json").write([SECOND]))
    assert rtstone.read(path).data == msgspec.json.decode(path.read_bytes(), type=type(SECOND)) == SECOND


def test_the_import_is_light_and_the_module_says_what_it_has() -> None:
    heavy = "{'numpy', 'sqlalchemy', 'scipy', 'msgspec', 'typer'}"
    loaded = f"sorted(m for m in sys.modules if m.split('.')[0] in {heavy})"
    asked = f"import sys, rtstone; print({loaded}, sorted(dir(rtstone)) == sorted(rtstone.__all__))"
    said = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=True, env=environment()
    ).stdout
    assert said == "[] True\n"
    with pytest.raises(AttributeError, match="has no attribute 'nosuch'"):
        _ = rtstone.nosuch
