# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An archive on a PostgreSQL server.

Many writers at once, some of them killed, and readers; a read-only role; older and newer tables.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, text

from rtstone.archive import RunStore, _database, open_archive, open_fleet, read_file
from rtstone.archive._schema import HEAD, METADATA
from rtstone.errors import InfrastructureError, UsageError
from support.old_archive import OLD_ID, make_old_tables
from support.postgresql import Server, running
from support.runs import make_result, make_run
from support.writers import LOG, whole, write_all

RUN = make_run("20261122T120000-00112233445566778899", results=(make_result(count=50),))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as made:
        yield made


@pytest.fixture
def database(server: Server) -> str:
    return server.database()


@pytest.fixture
def url(server: Server, database: str) -> str:
    return server.url(database)


def test_a_run_comes_back_by_every_name(url: str) -> None:
    archive = open_archive(url)
    assert (archive.list(), archive.results("semaphore-ping")) == ((), ())
    with pytest.raises(UsageError, match="has no runs yet"):
        archive.load()
    archive.save(RUN, [b"one", b"two"])
    for reference in (RUN.id, RUN.id[:20], "00112233", "001122334455", "0011", "last", "last~0"):
        assert archive.load(reference) == RUN
    assert archive.raw_logs() == (b"one", b"two")
    assert len(archive.results("semaphore-ping", target="local")) == 1
    with pytest.raises(InfrastructureError, match=r"has a run .* already"):
        archive.save(RUN)
    assert archive.delete("0011") == RUN.id
    assert archive.list() == ()


def test_the_tables_are_those_of_the_models(url: str) -> None:
    open_archive(url).save(RUN)
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), METADATA) == []
    engine.dispose()


def test_reading_makes_and_changes_no_tables(server: Server, database: str, url: str) -> None:
    assert open_archive(url).list() == ()
    assert server.sql("SELECT count(*) FROM pg_class WHERE relname = 'runs'", database) == "0"


def _check(url: str, saved: list[str]) -> None:
    """Every run that a writer reported as saved is there and whole."""
    archive = open_archive(url)
    listed = {run.id: run for run in archive.list()}
    assert set(saved) <= set(listed)
    for run_id in saved:
        assert archive.load(run_id) == whole(run_id)
        assert archive.raw_logs(run_id) == (LOG,) * 3
    for run_id in set(listed) - set(saved):
        # Of a killed writer: checkpoints, or a save whose report was lost.
        run = archive.load(run_id)
        assert run.sessions == whole(run_id).sessions[: len(run.sessions)]
        assert len(archive.raw_logs(run_id)) == len(run.sessions) >= 1


class _Reader(threading.Thread):
    """Reads the last run again and again; notes whatever goes wrong."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self._archive = open_archive(url)
        self.ends = threading.Event()
        self.problems: list[str] = []
        self.read = 0

    def run(self) -> None:
        while not self.ends.is_set():
            try:
                for summary in self._archive.list(3):
                    assert self._archive.load(summary.id).sessions
                self._archive.load("last")
                self.read += 1
            except UsageError:
                continue  # nothing is there yet
            except Exception as error:  # noqa: BLE001 - the test reports it
                self.problems.append(str(error))
                return


def _trial(url: str, writers: int, saves: int, kills: int, readers: int) -> None:
    reading = [_Reader(url) for _ in range(readers)]
    for reader in reading:
        reader.start()
    told = write_all(url, writers, saves, kills, timeout_s=1800)
    for reader in reading:
        reader.ends.set()
        reader.join()
    assert [reader.problems for reader in reading] == [[]] * readers
    assert all(reader.read for reader in reading)
    assert told.failed == []
    assert told.killed == kills
    assert len(told.saved) >= (writers - kills) * saves
    _check(url, told.saved)


def test_sixteen_first_writers_at_once_with_readers_beside_them(url: str) -> None:
    _trial(url, 16, 2, 0, 2)


def test_killed_writers_lose_nothing_that_was_saved(url: str) -> None:
    _trial(url, 16, 3, 6, 2)


def test_who_waited_for_the_tables_does_not_keep_the_next_in_line_waiting(url: str) -> None:
    """Two writers wait for the one that makes the tables; then one of them takes its time to save, and the other saves beside it."""
    engine, location = open_archive(url)._engine, open_archive(url).location
    inside = threading.Barrier(2)

    def waits() -> None:
        with _database.writing(engine, location, 20):
            inside.wait(10)

    waiting = [threading.Thread(target=waits) for _ in range(2)]
    with _database.writing(engine, location, 20):
        for thread in waiting:
            thread.start()
        time.sleep(0.5)
    for thread in waiting:
        thread.join()
    assert not inside.broken


def test_a_lock_that_stays_is_told_as_one(url: str) -> None:
    open_archive(url).save(RUN)
    archive = open_archive(url, wait_s=0.2)
    with _database.writing(archive._engine, archive.location, 20) as held:
        held.execute(text("LOCK TABLE runs IN ACCESS EXCLUSIVE MODE"))
        with pytest.raises(InfrastructureError, match=r"is locked by another program \(waited 0.2 s\)"):
            archive.delete(RUN.id)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_hundred_and_twenty_eight_writers(url: str) -> None:
    _trial(url, 128, 20, 40, 4)


def test_a_checkpoint_adds_and_rewrites_nothing(server: Server, database: str, url: str) -> None:
    run = whole(RUN.id)
    archive = open_archive(url)

    def rows() -> list[str]:
        return server.sql("SELECT xmin, ctid FROM sessions ORDER BY position", database).splitlines()

    archive.checkpoint(msgspec.structs.replace(run, sessions=run.sessions[:1]), [LOG], owner="mine")
    (first,) = rows()
    archive.checkpoint(msgspec.structs.replace(run, sessions=run.sessions[:2]), [LOG] * 2, owner="mine")
    assert rows()[0] == first
    archive.save(run, [LOG] * 3, owner="mine")
    assert (rows()[0], len(rows())) == (first, 3)
    assert archive.load() == run


def test_another_owners_run_is_left_alone(url: str) -> None:
    archive = open_archive(url)
    run = whole(RUN.id)
    archive.checkpoint(run, [LOG] * 3, owner="mine")
    for owner in ("theirs", ""):
        with pytest.raises(InfrastructureError, match="which is another or is final; nothing was changed"):
            archive.save(RUN, owner=owner)
    assert archive.load() == run


def test_who_may_only_read_reads_and_cannot_save(server: Server, database: str, url: str) -> None:
    open_archive(url).save(RUN, [LOG])
    server.sql("DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN", database)
    server.sql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader", database)
    reader = open_archive(server.url(database, "reader"))
    assert reader.load() == RUN
    assert len(reader.list(machine="")) == len(reader.results("semaphore-ping")) == 1
    assert reader.raw_logs() == (LOG,)
    with pytest.raises(InfrastructureError, match="permission denied"):
        reader.save(make_run("other"))
    assert len(open_archive(url).list()) == 1


def test_older_tables_with_runs_are_changed_by_upgrade_alone(server: Server, database: str, url: str) -> None:
    old = make_old_tables(url)
    archive = open_archive(url)
    for act in (archive.list, archive.load, lambda: archive.save(RUN)):
        with pytest.raises(
            InfrastructureError, match=r"older rtstone .*; nothing was changed: `rtstone archive upgrade`"
        ):
            act()
    assert server.sql("SELECT version_num FROM alembic_version", database) == "0001"
    assert archive.upgrade() is True
    assert archive.upgrade() is False
    assert archive.load(old.id) == old
    archive.save(RUN)
    assert [run.id for run in archive.list()] == [RUN.id, old.id]


def test_saves_at_the_same_time_have_turns_of_their_own(server: Server, database: str, url: str) -> None:
    told = write_all(url, 12, 12)
    assert told.failed == []
    assert server.sql("SELECT count(*), count(DISTINCT turn) FROM runs", database) == "144|144"
    # Each page begins where the one before ended: none is there twice, and none is lost.
    fleet = open_fleet(url)
    (machine,) = fleet.machines(10)
    paged: list[str] = []
    while page := fleet.runs_of(machine.machine, 10, paged[-1] if paged else ""):
        paged += [run.id for run in page]
    assert paged == [run.id for run in fleet.list()]
    assert len(set(paged)) == 144


def test_a_later_save_is_never_seen_before_an_earlier_turn(url: str) -> None:
    """A page that has seen turn 7 never looks below it again: no save with a smaller turn may end later."""
    open_archive(url).save(RUN)
    ended, late = threading.Event(), list[int]()

    def watch() -> None:
        engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
        known: set[int] = {1}
        while not ended.is_set():
            with engine.connect() as connection:
                now = set(connection.execute(text("SELECT turn FROM runs")).scalars())
            late.extend(turn for turn in now - known if turn < max(known))
            known |= now
        engine.dispose()

    watching = threading.Thread(target=watch)
    watching.start()
    assert write_all(url, 6, 10).failed == []
    ended.set()
    watching.join()
    assert late == []


def test_turns_that_runs_of_two_machines_share_are_told_apart_by_the_upgrade(
    server: Server, database: str, url: str
) -> None:
    make_old_tables(url, "0002")
    columns = 'id, "group", started, ended, target, label, kernel, studies, profile, seed, status, degraded, results, measured, tool'
    for name in ("first", "second", "third"):
        server.sql(
            f"INSERT INTO runs ({columns}, turn, machine) SELECT '{name}', "  # noqa: S608
            f"{columns.partition(', ')[2]}, 2, 'of-{name}' FROM runs WHERE turn = 1",
            database,
        )
    assert open_archive(url).upgrade() is True
    assert server.sql("SELECT string_agg(turn || id, ' ' ORDER BY turn) FROM runs", database) == (
        f"1{OLD_ID} 2first 3second 4third"
    )
    assert [(one.machine, one.last.id) for one in open_fleet(url).machines(10)][:3] == [
        *(("of-third", "third"), ("of-second", "second"), ("of-first", "first"))
    ]


def test_newer_tables_are_refused(server: Server, database: str, url: str) -> None:
    archive = open_archive(url)
    archive.save(RUN)
    server.sql("UPDATE alembic_version SET version_num = '9999'", database)
    for act in (archive.list, archive.upgrade, archive.load):
        with pytest.raises(InfrastructureError, match=f"newer rtstone .version 9999; this one knows {HEAD}.; nothing"):
            act()


def test_what_a_server_could_not_take_is_brought_in_by_the_next_save(server: Server, url: str) -> None:
    archive = open_archive(url)
    server.stop()
    try:
        with pytest.raises(InfrastructureError, match="the next save brings it in") as caught:
            archive.save(whole(RUN.id), [LOG], owner="mine")
    finally:
        server.start()
    assert "\n" not in str(caught.value)
    kept = Path(str(caught.value).partition("kept in ")[2].partition(" (")[0])
    assert read_file(kept) == whole(RUN.id)
    archive.save(make_run("another", results=(make_result(count=20),)))
    assert archive.brought_in == [RUN.id]
    assert archive.load(RUN.id) == whole(RUN.id)
    assert archive.raw_logs(RUN.id) == (LOG,)
    assert not kept.exists()
    assert not kept.parent.exists()


@pytest.fixture
def writers(server: Server, database: str, url: str) -> tuple[RunStore, RunStore]:
    """Two roles that may save, and have saved a run each."""
    open_archive(url).save(make_run("first", results=(make_result(count=20),)))
    made = []
    for role in ("anna", "berta"):
        if role not in server.sql("SELECT rolname FROM pg_roles").splitlines():
            server.sql(f"CREATE ROLE {role} LOGIN")
        open_archive(url).grant(role, "write")
        made.append(open_archive(server.url(database, role)))
        made[-1].save(make_run(f"of-{role}", results=(make_result(count=20),)), [LOG])
    return made[0], made[1]


def test_a_writer_changes_and_deletes_its_own_runs_alone(
    server: Server, database: str, url: str, writers: tuple[RunStore, RunStore]
) -> None:
    anna, _ = writers
    assert {run.id for run in anna.list()} == {"first", "of-anna", "of-berta"}
    assert anna.load("of-berta").results()
    for act in (lambda: anna.delete("of-berta"), lambda: anna.prune(runs_before="2027", act=True)):
        with pytest.raises(InfrastructureError, match="another writer's; nothing was"):
            act()
    for statement in (
        "DELETE FROM runs WHERE id <> 'of-anna'",
        "UPDATE runs SET status = 'mine' WHERE id <> 'of-anna'",
        "UPDATE runs SET writer = 'berta'",
        "DELETE FROM results USING runs WHERE results.run = runs.number AND id <> 'of-anna'",
        "UPDATE documents SET version = '0' FROM runs WHERE documents.run = runs.number AND id <> 'of-anna'",
        "INSERT INTO raw_logs SELECT number, 9, 0, '' FROM runs WHERE id = 'of-berta'",
        "TRUNCATE runs CASCADE",
        "ALTER TABLE runs DISABLE ROW LEVEL SECURITY",
        "DROP TABLE runs CASCADE",
    ):
        server.try_sql(statement, database, "anna")
    assert {run.id for run in open_archive(url).list(status="complete")} == {"first", "of-anna", "of-berta"}
    assert len(open_archive(url).raw_logs("of-berta")) == 1
    assert open_archive(url).load("of-berta") == anna.load("of-berta")
    assert server.sql("SELECT run, writer FROM v1_runs ORDER BY run", database).splitlines() == [
        *("first|postgres", "of-anna|anna", "of-berta|berta")
    ]
    assert anna.delete("of-anna") == "of-anna"


def test_another_roles_checkpoint_of_the_same_run_is_an_error(writers: tuple[RunStore, RunStore]) -> None:
    anna, berta = writers
    run = whole(RUN.id)
    anna.checkpoint(msgspec.structs.replace(run, sessions=run.sessions[:1]), [LOG], owner="shared")
    with pytest.raises(InfrastructureError, match="another writer's; nothing was changed"):
        berta.checkpoint(run, [LOG] * 3, owner="shared")
    anna.save(run, [LOG] * 3, owner="shared")
    assert berta.load(run.id) == run


def test_who_was_granted_to_read_reads_and_changes_nothing(server: Server, database: str, url: str) -> None:
    open_archive(url).save(RUN, [LOG])
    server.sql('DROP ROLE IF EXISTS "a reader"; CREATE ROLE "a reader" LOGIN')
    open_archive(url).grant("a reader", "read")
    reader = open_archive(server.url(database, "a%20reader"))
    assert reader.load() == RUN
    assert server.try_sql("SELECT run FROM v1_results", database, "a reader") == RUN.id
    with pytest.raises(InfrastructureError, match="permission denied"):
        reader.save(make_run("other"))
    with pytest.raises(InfrastructureError, match="permission denied"):
        reader.delete(RUN.id)


def test_a_page_wants_a_role_that_may_only_read(server: Server, database: str, url: str) -> None:
    for role, right in (("looker", "read"), ("keeper", "write")):
        server.sql(f"CREATE ROLE {role}{database} LOGIN")
        if right == "read":
            open_archive(url).save(RUN)
        open_archive(url).grant(f"{role}{database}", "read" if right == "read" else "write")
    fleet = open_fleet(server.url(database, f"looker{database}"))
    fleet.require_reader()
    (machine,) = fleet.machines(10)
    assert (machine.runs, machine.last.id) == (1, RUN.id)
    assert fleet.runs_of(machine.machine, 10) == fleet.list()
    assert {one.quantity for one in fleet.measured(RUN.id)} == {result.quantity for result in RUN.results()}
    assert [one.id for one in fleet.with_study(RUN.studies[0], 10)] == [RUN.id] * (RUN.status == "complete")
    quantity = RUN.results()[0].quantity
    (part,) = fleet.load_parts([RUN.id], {quantity})
    assert part.results() == tuple(result for result in RUN.results() if result.quantity == quantity)
    for role in (f"keeper{database}", "postgres"):
        with pytest.raises(InfrastructureError, match="may write in"):
            open_fleet(server.url(database, role)).require_reader()
    # A role that may write cannot write through the connection that a page opens.
    with pytest.raises(InfrastructureError, match="read-only transaction"):
        open_fleet(url).delete(RUN.id)


def test_a_dump_comes_back_whole(server: Server, database: str, url: str) -> None:
    archive = open_archive(url)
    for name in ("one", "two"):
        archive.save(make_run(name, results=(make_result(count=20),)), [LOG])
    other = server.database()
    server.copy(database, other)
    copied = open_archive(server.url(other))
    assert copied.list() == archive.list()
    for name in ("one", "two"):
        assert (copied.load(name), copied.raw_logs(name)) == (archive.load(name), (LOG,))
    copied.save(make_run("three"))
    assert server.sql("SELECT count(*) FROM pg_policies", other) == server.sql(
        "SELECT count(*) FROM pg_policies", database
    )
