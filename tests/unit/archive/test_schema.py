# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The migrations make the very tables that the models describe, on each kind of database that is designed for."""

from __future__ import annotations

from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateTable

import rtstone.archive
from rtstone.archive import open_archive
from rtstone.archive._schema import HEAD, METADATA
from support.runs import make_result, make_run

MIGRATIONS = Path(rtstone.archive.__file__).with_name("migrations")


def _script() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return ScriptDirectory.from_config(config)


def test_head_is_the_newest_migration() -> None:
    assert _script().get_heads() == [HEAD]


def test_migration_numbers_grow_as_strings() -> None:
    """The archive compares the numbers to find which schema is newer."""
    numbers = [revision.revision for revision in _script().walk_revisions()]
    assert numbers == sorted(numbers, reverse=True)
    assert {len(number) for number in numbers} == {4}


def test_migrations_make_the_models_tables(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    open_archive(str(path)).save(make_run(results=(make_result(count=50),)))
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []
    engine.dispose()


def test_lists_are_served_by_indices(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    open_archive(str(path)).save(make_run(results=(make_result(count=50),)))
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        for query, index in (
            ("SELECT * FROM results WHERE quantity = 'q' AND target = 't'", "ix_results_quantity_target_kernel"),
            ("SELECT * FROM runs WHERE target = 't'", "ix_runs_target"),
            ("SELECT * FROM runs WHERE label = 't'", "ix_runs_label"),
            ("SELECT * FROM runs WHERE machine = 'm'", "ix_runs_machine"),
            ("SELECT * FROM runs WHERE short = '7f3a9c21'", "ix_runs_short"),
            ("SELECT id FROM runs ORDER BY turn DESC, number DESC LIMIT 1", "ix_runs_turn"),
            ("SELECT * FROM results WHERE run = 1 AND quantity = 'q'", "ix_results_run_quantity"),
            ("DELETE FROM results WHERE run = 1", "ix_results_run_quantity"),
        ):
            plan = " ".join(str(row) for row in connection.execute(text(f"EXPLAIN QUERY PLAN {query}")))
            assert index in plan
    engine.dispose()


def test_postgresql_can_have_these_tables() -> None:
    statements = [
        str(CreateTable(table).compile(dialect=postgresql.dialect()))  # type: ignore[no-untyped-call]
        for table in METADATA.sorted_tables
    ]
    assert len(statements) == 7
    assert any("number BIGSERIAL" in statement for statement in statements)
    assert any("BYTEA" in statement for statement in statements)


def test_every_migration_travels_with_the_package() -> None:
    """Found by the files' place beside the code, so the wheel needs no list of them."""
    assert (MIGRATIONS / "env.py").is_file()
    assert len(list((MIGRATIONS / "versions").glob("v*.py"))) == len(list(_script().walk_revisions()))
