# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Which run an id, a beginning of one, a label or a target means: the same in every command."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rtstone.archive import RunStore, open_archive
from rtstone.cli._app import commands
from rtstone.errors import UsageError
from support.command import rtstone
from support.runs import make_result, make_run

FIRST = "20261122T120000-c10a1697445566778899"
SECOND = "20261122T120100-ffffffffffffffffffff"


@pytest.fixture
def archive(tmp_path: Path) -> RunStore:
    made = open_archive(str(tmp_path / "a.sqlite"))
    for run_id, label in ((FIRST, ""), (SECOND, "night")):
        run = make_run(run_id, results=(make_result(count=20),))
        made.save(msgspec.structs.replace(run, label=label, target="a-target"))
    return made


def _labelled(archive: RunStore, run_id: str, label: str) -> None:
    archive.save(msgspec.structs.replace(make_run(run_id, results=(make_result(count=20),)), label=label))


def test_a_label_that_begins_the_id_of_another_run_is_refused(archive: RunStore) -> None:
    _labelled(archive, "third", "c10")
    with pytest.raises(UsageError) as caught:
        archive.find("c10")
    assert str(caught.value) == f"'c10' is the label of run third, and run {FIRST} begins so: give more of the id"
    assert archive.find("c10a") == FIRST
    assert archive.find("third") == "third"


def test_a_label_wins_where_the_ids_that_begin_so_have_it(archive: RunStore) -> None:
    _labelled(archive, "mine-1", "mine")
    _labelled(archive, "mine-2", "mine")
    assert archive.find("mine") == "mine-2"
    with pytest.raises(UsageError, match="may be any of mine-1, mine-2"):
        archive.find("mine-")


@pytest.mark.parametrize(
    ("reference", "run_id"),
    [("night", SECOND), ("a-target", SECOND), ("c10", FIRST), (FIRST, FIRST), ("last", SECOND), ("last~1", FIRST)],
)
def test_every_name_means_one_run(archive: RunStore, reference: str, run_id: str) -> None:
    assert archive.find(reference) == run_id
    assert archive.load(reference).id == run_id
    assert archive.load_parts([reference], {"semaphore-ping"})[0].id == run_id


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("nigth", "Did you mean 'night'?"),
        ("lats", "'last'"),
        ("c10b1697", "'c10a1697'"),
        ("a-tarket", "Did you mean 'a-target'?"),
        ("nothing-like-it-at-all", "by id, label or target. `rtstone archive list`"),
        ("x" * 5_000, "by id, label or target. `rtstone archive list`"),
    ],
)
def test_an_unknown_name_suggests_the_nearest_in_one_line(archive: RunStore, reference: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        archive.find(reference)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


def test_a_whole_id_is_that_run_whatever_labels_say(archive: RunStore) -> None:
    _labelled(archive, "third", FIRST)
    assert archive.find(FIRST) == FIRST


def test_what_is_removed_is_named_by_an_id_or_by_the_label_of_one_run(archive: RunStore) -> None:
    _labelled(archive, "third", "two")
    _labelled(archive, "fourth", "two")
    for reference, said in (("two", "is the label of 2 runs: give the id of one"), ("a-target", "by id or label")):
        with pytest.raises(UsageError, match=said):
            archive.delete(reference)
    assert archive.delete("night") == SECOND
    assert len(archive.list()) == 3


@pytest.mark.parametrize(
    "words",
    [
        words
        for words in (
            *(["show"], ["report", "--output", "out.html"], ["compare", "last"], ["export"], ["explain"]),
            *(["archive", "show"], ["archive", "delete", "--yes"], ["run", "--resume"], ["tune", "--show"]),
        )
        if words[0] in commands()
    ],
)
def test_every_command_refuses_the_clash(
    archive: RunStore, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _labelled(archive, "third", "c10")
    monkeypatch.setenv("RTSTONE_ARCHIVE", str(tmp_path / "a.sqlite"))
    monkeypatch.chdir(tmp_path)
    said = rtstone(*words, "c10", expect=2).stderr
    assert f"'c10' is the label of run third, and run {FIRST} begins so" in said
    assert len(archive.list()) == 3
