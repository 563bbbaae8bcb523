# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Many writers of one SQLite file, checkpoints and their owners, and runs that had to wait in files."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from rtstone.archive import open_archive, read_file
from rtstone.errors import InfrastructureError, UsageError
from rtstone.model import new_id, random_part, short_id
from support.first_writers import count
from support.old_archive import OLD_ID, make_old_tables
from support.runs import make_result, make_run
from support.writers import LOG, whole, write_all

RUN = whole("20261122T120000-00112233445566778899")


def _trial(path: Path, writers: int, saves: int, kills: int) -> None:
    told = write_all(str(path), writers, saves, kills, timeout_s=1800)
    assert told.failed == []
    assert told.killed == kills
    assert len(told.saved) >= (writers - kills) * saves
    archive = open_archive(str(path))
    listed = {run.id for run in archive.list()}
    assert set(told.saved) <= listed
    for run_id in listed:
        run = archive.load(run_id)
        assert run.sessions == whole(run_id).sessions[: len(run.sessions)]
        assert len(archive.raw_logs(run_id)) == len(run.sessions) >= (3 if run_id in told.saved else 1)
    with sqlite3.connect(path) as file:
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    file.close()


def test_sixteen_writers_all_save(tmp_path: Path) -> None:
    _trial(tmp_path / "a.sqlite", 16, 2, 0)


def test_killed_writers_lose_nothing_that_was_saved(tmp_path: Path) -> None:
    _trial(tmp_path / "a.sqlite", 16, 2, 6)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_hundred_and_twenty_eight_writers(tmp_path: Path) -> None:
    _trial(tmp_path / "a.sqlite", 128, 8, 40)


def _first_writers(folder: Path, trials: int) -> None:
    counted = count(folder, trials, timeout_s=1800)
    assert counted.trials == trials
    assert counted.saved + counted.gave_up == 2 * trials
    assert counted.saved >= trials
    assert counted.gave_up >= trials // 10  # else nothing was tried
    assert (counted.lost, counted.refused) == ([], [])


def test_two_first_writers_of_one_file_lose_nothing(tmp_path: Path) -> None:
    _first_writers(tmp_path, 40)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_two_first_writers_five_hundred_times(tmp_path: Path) -> None:
    _first_writers(tmp_path, 500)


def test_a_checkpoint_adds_and_the_last_save_makes_it_final(tmp_path: Path) -> None:
    archive = open_archive(str(tmp_path / "a.sqlite"))
    for n in (1, 2):
        archive.checkpoint(msgspec.structs.replace(RUN, sessions=RUN.sessions[:n]), [LOG] * n, owner="mine")
        assert archive.load("last").sessions == RUN.sessions[:n]
    archive.save(make_run("between", results=(make_result(count=20),)))
    archive.save(RUN, [LOG] * 3, owner="mine")
    assert archive.load("last") == RUN
    assert archive.raw_logs("last") == (LOG,) * 3
    assert len(archive.results("semaphore-ping")) == 4
    with pytest.raises(InfrastructureError, match="is another or is final"):
        archive.checkpoint(RUN, [], owner="mine")


def test_sessions_that_became_others_are_saved_anew(tmp_path: Path) -> None:
    archive = open_archive(str(tmp_path / "a.sqlite"))
    archive.checkpoint(RUN, [LOG] * 3, owner="mine")
    other = msgspec.structs.replace(RUN, sessions=whole(_id(1)).sessions[:1])
    archive.save(other, [b"x"], owner="mine")
    assert archive.load() == other
    assert archive.raw_logs() == (b"x",)
    assert len(archive.results("semaphore-ping")) == 1


def _id(number: int) -> str:
    return f"20261122T120000-{number:020x}"


@pytest.mark.parametrize("owner", ["", "theirs"])
def test_another_run_of_the_same_id_is_left_alone(tmp_path: Path, owner: str) -> None:
    archive = open_archive(str(tmp_path / "a.sqlite"))
    archive.checkpoint(RUN, [LOG] * 3, owner="mine")
    with pytest.raises(InfrastructureError, match="nothing was changed"):
        archive.save(msgspec.structs.replace(RUN, label="foreign"), owner=owner)
    assert archive.load() == RUN
    assert archive.raw_logs() == (LOG,) * 3


def test_the_owners_word_does_not_stand_in_the_archive(tmp_path: Path) -> None:
    archive = open_archive(str(tmp_path / "a.sqlite"))
    archive.checkpoint(RUN, [LOG] * 3, owner="a-word-of-mine")
    assert b"a-word-of-mine" not in (tmp_path / "a.sqlite").read_bytes()


def test_ids_of_one_second_do_not_meet() -> None:
    when = datetime(2026, 11, 22, 12, tzinfo=UTC)
    made = [new_id(when) for _ in range(20_000)]
    assert len(set(made)) == len(made)
    assert len({random_part(one) for one in made}) == len(made)
    assert all(one.startswith("20261122T120000-") and len(random_part(one)) == 20 for one in made)
    assert short_id(made[0]) == made[0][16:24]
    assert (short_id(OLD_ID), short_id("mine")) == (OLD_ID, "mine")


def test_the_short_form_names_a_run_and_old_ids_stay_good(tmp_path: Path) -> None:
    archive = open_archive(str(tmp_path / "a.sqlite"))
    ids = ("20261122T120000-00112233445566778899", "20261122T120001-00112233995566778899", OLD_ID, "named-by-hand")
    for run_id in ids:
        archive.save(make_run(run_id, results=(make_result(count=20),)))
    for reference, run_id in (
        ("0011223344", ids[0]),
        ("0011223399", ids[1]),
        ("20261122T120001", ids[1]),
        ("7f3a", OLD_ID),
        (OLD_ID, OLD_ID),
        ("named", "named-by-hand"),
    ):
        assert archive.find(reference) == run_id
    for reference in ("00112233", "0011", "2026"):
        with pytest.raises(UsageError, match="may be any of"):
            archive.find(reference)
    for reference in ("by-hand", "112233", "00112233445566778898"):
        with pytest.raises(UsageError, match="no run"):
            archive.find(reference)


def test_runs_of_machines_are_told_apart(tmp_path: Path) -> None:
    archive = open_archive(str(tmp_path / "a.sqlite"))
    for name, machine in (("a", "aa11"), ("b", "bb22"), ("b", "bb33")):
        session = msgspec.structs.replace(RUN.sessions[0], env={"machine.id": machine, "machine.name": name})
        archive.save(make_run(f"r-{machine}", sessions=(session,), label=name))

    def found(**filters: str) -> list[str]:
        return [run.id for run in archive.list(**filters)]  # type: ignore[arg-type]

    assert found(machine="a") == ["r-aa11"]
    assert found(machine="b") == ["r-bb33", "r-bb22"]
    assert found(machine="bb2") == ["r-bb22"]
    assert found(label="b", machine="bb33") == ["r-bb33"]
    assert [row.run for row in archive.results("semaphore-ping", machine="bb22")] == ["r-bb22"]


def test_an_older_archive_is_changed_by_upgrade_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    old = make_old_tables(f"sqlite:///{path}")
    before = path.read_bytes()
    archive = open_archive(str(path))
    for act in (archive.list, archive.load, lambda: archive.save(RUN), lambda: archive.delete(OLD_ID)):
        with pytest.raises(InfrastructureError, match=r"older rtstone .*: `rtstone archive upgrade`"):
            act()
    assert path.read_bytes() == before
    assert archive.upgrade() is True
    assert archive.load("7f3a") == old
    archive.save(RUN)
    # The run that could not be saved waited in a file and came in by itself, as the same run.
    assert [run.id for run in archive.list()] == [RUN.id, OLD_ID]


def _unsaved(path: Path) -> Path:
    """Keeps RUN in a file, as a locked archive makes it."""
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(InfrastructureError, match="the next save brings it in") as caught:
            open_archive(str(path), wait_s=0.05).save(RUN, [LOG], owner="mine")
    finally:
        holder.close()
    return Path(str(caught.value).partition("kept in ")[2].partition(" (")[0])


@pytest.mark.parametrize("checkpointed", [False, True])
def test_what_waited_in_a_file_comes_in_with_the_next_save(tmp_path: Path, *, checkpointed: bool) -> None:
    path = tmp_path / "a.sqlite"
    archive = open_archive(str(path))
    archive.save(make_run("first", results=(make_result(count=20),)))
    if checkpointed:
        archive.checkpoint(msgspec.structs.replace(RUN, sessions=RUN.sessions[:1]), [LOG], owner="mine")
    kept = _unsaved(path)
    assert read_file(kept) == RUN
    archive.save(make_run("second", results=(make_result(count=20),)))
    assert archive.brought_in == [RUN.id]
    assert archive.load(RUN.id) == RUN
    assert archive.raw_logs(RUN.id) == (LOG,)
    assert not kept.parent.exists()


def test_files_that_others_may_have_put_there_are_not_brought_in(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    archive = open_archive(str(path))
    archive.save(make_run("first", results=(make_result(count=20),)))
    kept = _unsaved(path)
    kept.parent.chmod(0o777)
    archive.save(make_run("second", results=(make_result(count=20),)))
    assert archive.brought_in == []
    assert kept.exists()


def test_a_file_of_a_run_that_is_here_is_forgotten_and_another_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    archive = open_archive(str(path))
    archive.save(make_run("first", results=(make_result(count=20),)))
    kept = _unsaved(path)
    data = kept.read_bytes()
    archive.bring_in(kept)
    archive.save(make_run("second", results=(make_result(count=20),)))
    assert not kept.exists()
    kept.parent.mkdir(mode=0o700)
    kept.write_bytes(data.replace(b'"this machine"', b'"another run"'))
    damaged = kept.with_name("rtstone-unsaved-damaged.json")
    damaged.write_bytes(b"{")
    kept.with_name("rtstone-unsaved-link.json").symlink_to("/etc/passwd")
    archive.save(make_run("third", results=(make_result(count=20),)))
    assert (kept.exists(), damaged.exists(), archive.brought_in) == (True, True, [])
