# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An SQLite file from anybody: its schema cannot make a save do anything else."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from rtstone.archive import open_archive
from rtstone.errors import InfrastructureError
from support.runs import make_result, make_run

SMALL = (make_result(count=20),)

PLANTED = {
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs WHERE number < new.number; END",
    "a view": "CREATE VIEW v AS SELECT * FROM runs",
    "a virtual table": "CREATE VIRTUAL TABLE f USING fts5(x)",
    "another table": "CREATE TABLE notes (x)",
    "another index": "CREATE INDEX i ON runs (seed)",
    "an index of an expression": "DROP INDEX ix_runs_label; CREATE INDEX ix_runs_label ON runs (abs(label))",
    "a key that is none": "DROP INDEX ix_runs_target; CREATE UNIQUE INDEX ix_runs_target ON runs (id)",
}

# What a table itself may do: replaced on conflict, cascading upon itself, computed, checked, of another kind.
REWRITTEN = {
    "a column that replaces": ("target VARCHAR NOT NULL", "target VARCHAR NOT NULL UNIQUE ON CONFLICT REPLACE"),
    "a reference that cascades": (
        "label VARCHAR NOT NULL",
        "label VARCHAR NOT NULL REFERENCES runs (id) ON DELETE CASCADE",
    ),
    "a default that computes": ("profile VARCHAR NOT NULL", "profile VARCHAR NOT NULL DEFAULT (load_extension('x'))"),
    "a check": ("profile VARCHAR NOT NULL", "profile VARCHAR NOT NULL CHECK (length(profile) > 0)"),
    "a computed column": ("profile VARCHAR NOT NULL", "profile VARCHAR NOT NULL, more GENERATED ALWAYS AS (abs(1))"),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "a.sqlite"
    for number in range(3):
        open_archive(str(made)).save(make_run(f"r-{number}", results=SMALL))
    return made


def _refused(path: Path) -> None:
    before = path.read_bytes()
    archive = open_archive(str(path))
    for act in (archive.list, archive.load, archive.upgrade, lambda: archive.delete("r-0")):
        with pytest.raises(
            InfrastructureError, match=r"is not to be trusted: .* is not of rtstone's making; nothing"
        ) as told:
            act()
        assert "\n" not in str(told.value)
    with pytest.raises(InfrastructureError, match="is not to be trusted"):
        archive.save(make_run("r-9", results=SMALL))
    assert path.read_bytes() == before


@pytest.mark.parametrize("what", PLANTED)
def test_what_was_planted_is_refused(path: Path, what: str) -> None:
    with sqlite3.connect(path) as file:
        file.executescript(PLANTED[what])
    file.close()
    _refused(path)


@pytest.mark.parametrize("what", REWRITTEN)
def test_a_table_that_was_rewritten_is_refused(path: Path, what: str) -> None:
    old, new = REWRITTEN[what]
    with sqlite3.connect(path) as file:
        file.execute("PRAGMA writable_schema = ON")
        changed = file.execute("UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = 'runs'", (old, new))
        assert changed.rowcount == 1
        assert new in file.execute("SELECT sql FROM sqlite_master WHERE name = 'runs'").fetchone()[0]
    file.close()
    _refused(path)


def test_what_sqlite_itself_adds_is_no_reason(path: Path) -> None:
    with sqlite3.connect(path) as file:
        file.execute("ANALYZE")
    file.close()
    open_archive(str(path)).save(make_run("r-9", results=SMALL))
    assert len(open_archive(str(path)).list()) == 4


def test_the_trigger_would_have_removed_runs(path: Path) -> None:
    """This trigger works when nothing checks for it, so the test above shows something."""
    with sqlite3.connect(path) as file:
        file.executescript(PLANTED["a trigger"])
        file.execute(
            "INSERT INTO runs SELECT 99, 'x', \"group\", started, ended, target, label, kernel, studies, profile, seed,"
            " status, degraded, results, measured, tool, short, 99, owner, machine, machine_name, writer,"
            " verdict, doubts, main, gate FROM runs WHERE number = 1"
        )
        assert file.execute("SELECT count(*) FROM runs").fetchone() == (1,)
    file.close()
