# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Archives that earlier versions wrote (tests/data/archives): they are upgraded, read back and written to."""

from __future__ import annotations

import ast
import hashlib
import shutil
import sqlite3
from pathlib import Path

import pytest

import rtstone.archive
from rtstone.archive import _views, _views_0002, open_archive, open_fleet, open_queue, read_file
from rtstone.archive._figures import main_figures
from rtstone.archive._queue import Standing
from rtstone.errors import InfrastructureError
from rtstone.model.verdict import verdict
from support.runs import make_result, make_run

VERSIONS = ("0.1.0", "0.2.0")
MIGRATIONS = Path(rtstone.archive.__file__).parent / "migrations" / "versions"


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def data(root: Path) -> Path:
    return root / "tests" / "data" / "archives"


@pytest.fixture
def path(data: Path, version: str, tmp_path: Path) -> Path:
    return Path(shutil.copy(data / f"{version}.sqlite", tmp_path / "archive.sqlite"))


def _turns(path: Path) -> list[int]:
    with sqlite3.connect(path) as file:
        found = [turn for (turn,) in file.execute("SELECT turn FROM runs ORDER BY turn")]
    file.close()
    return found


def test_it_is_upgraded_once_and_reads_back(path: Path, data: Path, version: str) -> None:
    before = path.read_bytes()
    archive = open_archive(str(path))
    with pytest.raises(InfrastructureError, match=r"older rtstone .*: `rtstone archive upgrade`"):
        archive.list()
    assert path.read_bytes() == before
    assert archive.upgrade() is True
    assert archive.upgrade() is False
    assert [run.label for run in archive.list()] == ["second", "first"]
    assert archive.load("last") == read_file(data / f"{version}.json")
    assert len(archive.raw_logs("last~1")) == 2
    assert {row.run for row in archive.results("queue-fill")} == {run.id for run in archive.list()}
    new = make_run(results=(make_result(count=20),))
    archive.save(new)
    assert archive.load("last") == new
    assert _turns(path) == [1, 2, 3]


def test_the_fleet_page_shows_every_load(path: Path) -> None:
    open_archive(str(path)).upgrade()
    fleet = open_fleet(str(path))
    (machine,) = fleet.machines(10)
    assert (machine.runs, machine.last.label) == (2, "second")
    found = [(one.quantity, one.pass_, one.load) for one in fleet.measured(machine.last.id)]
    wanted = {
        (q, p, load) for q in ("semaphore-ping", "queue-fill") for p in ("single", "batch") for load in ("none", "cpu")
    }
    assert set(found) == wanted
    for one in fleet.measured(machine.last.id):
        assert ("load=cpu" in one.variant, "pass=batch" in one.variant) == (one.load == "cpu", one.pass_ == "batch")


def test_its_runs_are_judged_when_it_is_upgraded(path: Path, data: Path, version: str) -> None:
    """The verdicts and main figures are those that the run's own document gives, as though it were saved today."""
    archive = open_archive(str(path))
    archive.upgrade()
    saved = {run.label: run for run in archive.list()}
    assert set(saved) == {"first", "second"}
    for run in saved.values():
        whole = archive.load(run.id)
        made = verdict(whole)
        assert (run.verdict, run.doubts) == (made.level, made.doubts)
        assert run.main == tuple(main_figures(whole)) != ()
        assert run.gate is None
    assert saved["second"].doubts == verdict(read_file(data / f"{version}.json")).doubts


def test_a_run_that_cannot_be_read_is_not_judged_and_stops_no_upgrade(path: Path) -> None:
    with sqlite3.connect(path) as file:
        file.execute("UPDATE documents SET data = x'00' WHERE run = (SELECT min(run) FROM documents)")
    file.close()
    archive = open_archive(str(path))
    assert archive.upgrade() is True
    assert [bool(run.verdict) for run in archive.list()] == [True, False]


def test_its_queue_takes_work(path: Path) -> None:
    """The queue of 0.2.0 had no count of failures."""
    open_archive(str(path)).upgrade()
    queue = open_queue(str(path))
    assert queue.add("b", [("p", "{}")])
    lease = queue.take("me")
    assert lease is not None
    queue.finish(lease, None, failure="no", hopeless=True)
    assert queue.standing() == Standing(failed=1)


def test_an_archive_of_between_the_releases_has_failures_already(data: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(data / "0.2.0.sqlite", tmp_path / "archive.sqlite"))
    with sqlite3.connect(path) as file:
        file.execute("ALTER TABLE work ADD COLUMN failures INTEGER NOT NULL DEFAULT 0")
    file.close()
    assert open_archive(str(path)).upgrade() is True
    assert open_queue(str(path)).add("b", [("p", "{}")])


def test_turns_that_two_runs_share_are_numbered_again_in_order(data: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(data / "0.2.0.sqlite", tmp_path / "archive.sqlite"))
    with sqlite3.connect(path) as file:
        file.execute("UPDATE runs SET turn = 7")
    file.close()
    assert open_archive(str(path)).upgrade() is True
    assert _turns(path) == [1, 2]
    assert [run.label for run in open_archive(str(path)).list()] == ["second", "first"]


def test_a_later_change_of_the_views_leaves_the_upgrade_alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_views, "VIEWS", {"v1_runs": "CREATE VIEW v1_runs AS SELECT a_column_of_tomorrow FROM runs"})
    archive = open_archive(str(path))
    assert archive.upgrade() is True
    assert archive.load("last").label == "second"
    with sqlite3.connect(path) as file:
        assert file.execute("SELECT label FROM v1_runs ORDER BY run").fetchall() == [("first",), ("second",)]
    file.close()


def test_migrations_import_nothing_that_changes() -> None:
    files = sorted(MIGRATIONS.glob("v*.py"))
    assert len(files) >= 4
    for file in (*files, MIGRATIONS.parent / "env.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            own = [name for name in names if name.partition(".")[0] == "rtstone"]
            assert set(own) <= {"rtstone.archive._views_0002"}, file


def test_what_migration_0002_makes_never_changes() -> None:
    made = repr((_views_0002.VIEWS, _views_0002.POLICIES)).encode()
    assert hashlib.sha256(made).hexdigest() == "c7568e2e9cd6cd68bc376599cabbe5ce366ff6f99cad26788de7e54a875a047a"
