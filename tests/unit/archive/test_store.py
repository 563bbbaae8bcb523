# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A saved run comes back the same, is found by every way of naming it, and is gone when it is deleted."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
import pytest

from rtstone.archive import RunStore, default_path, open_archive
from rtstone.errors import UsageError
from rtstone.model import Run, Variant
from support.runs import make_result, make_run, make_session


@pytest.fixture
def archive(tmp_path: Path) -> RunStore:
    return open_archive(str(tmp_path / "a.sqlite"))


def _small(run_id: str, **changes: object) -> Run:
    return msgspec.structs.replace(make_run(run_id, results=(make_result(count=50),)), **changes)


def test_run_comes_back_equal(archive: RunStore) -> None:
    run = make_run()
    assert archive.save(run, [b"~0 one\n", b"~0 two\n"]) == run.id
    assert archive.load(run.id) == run
    assert archive.raw_logs(run.id) == (b"~0 one\n", b"~0 two\n")


def test_sums_beyond_64_bits_come_back_exact(archive: RunStore) -> None:
    # Two million samples of 10 ms at 1 GHz: their squares do not fit.
    huge = make_result(values=[2**39] * 40)
    assert huge.sumsq > 2**64
    run = make_run(results=(huge,))
    archive.save(run)
    assert archive.load().results()[0].sumsq == huge.sumsq


def test_raw_samples_and_negative_values_come_back(archive: RunStore) -> None:
    result = make_result(values=[-40, -3, 0, 7, 2_000])
    run = make_run(results=(result,), sessions=(make_session((result,)),))
    archive.save(run)
    assert archive.load() == run


def test_last_and_before_it(archive: RunStore) -> None:
    for name in ("first", "second", "third"):
        archive.save(_small(name))
    assert [archive.load(r).id for r in ("last", "last~0", "last~1", "last~2")] == ["third", "third", "second", "first"]
    with pytest.raises(UsageError, match="has 3 runs"):
        archive.load("last~3")


def test_a_label_and_before_it(archive: RunStore) -> None:
    for name, label in (("a", "gate"), ("b", ""), ("c", "gate"), ("d", "gate"), ("e", "other")):
        archive.save(_small(name, label=label))
    named = ("gate", "gate~0", "gate~1", "gate~2", "other~0")
    assert [archive.load(one).id for one in named] == ["d", "d", "c", "a", "e"]
    assert archive.find("gate~1", single=True) == "c"
    with pytest.raises(UsageError, match=r"no run 'gate~3': archive .* has 3 runs with that label"):
        archive.load("gate~3")
    for unknown in ("gate~", "gate~-1", "gate~x", "gate~99999999999", "~1", "local~1", "gat~1", "a~1", "mate~1"):
        with pytest.raises(UsageError, match="by id, label or target"):
            archive.load(unknown)


def test_a_label_with_a_tilde_or_like_an_id_keeps_its_name(archive: RunStore) -> None:
    for name, label in (("a", "gate"), ("b", "gate"), ("c", "gate~1"), ("d", "gate~1"), ("feed-1", ""), ("e", "feed")):
        archive.save(_small(name, label=label))
    archive.save(_small("f", label="feed-1"))
    archive.save(_small("g", label="", target="gate~0"))
    assert archive.load("gate~1").id == "d"
    assert archive.load("gate~1~1").id == "c"
    assert archive.load("gate~0").id == "g", "a target's whole name comes first"
    with pytest.raises(UsageError, match="begins so: give more of the id"):
        archive.load("feed")
    assert archive.load("feed~0").id == "e", "no id has a tilde"
    assert (archive.load("feed-1").id, archive.load("feed-1~0").id) == ("feed-1", "f")


def test_last_is_the_last_saved_even_after_one_is_deleted(archive: RunStore) -> None:
    for name in ("first", "second"):
        archive.save(_small(name))
    assert archive.delete("last") == "second"
    assert archive.load("last").id == "first"


def test_beginning_of_an_id(archive: RunStore) -> None:
    for name in ("20261121-aa", "20261121-ab", "20261122-aa"):
        archive.save(_small(name))
    assert archive.load("20261122").id == "20261122-aa"
    with pytest.raises(UsageError, match="may be any of 20261121-aa, 20261121-ab"):
        archive.load("20261121")


def test_whole_id_wins_over_longer_ones(archive: RunStore) -> None:
    for name in ("run", "run-2"):
        archive.save(_small(name))
    assert archive.load("run").id == "run"


@pytest.mark.parametrize("reference", ["nothing", "", "%", "_", "last~", "last~-1", "last~99999999999", "' OR 1=1 --"])
def test_unknown_run_is_a_usage_error(archive: RunStore, reference: str) -> None:
    archive.save(_small("only"))
    with pytest.raises(UsageError):
        archive.load(reference)


def test_reading_an_archive_that_is_not_there_makes_none(archive: RunStore) -> None:
    assert archive.list() == ()
    assert archive.results("semaphore-ping") == ()
    for act in (archive.load, archive.raw_logs, archive.delete, archive.find):
        with pytest.raises(UsageError):
            act("last")
    assert archive.location.path is not None
    assert not archive.location.path.exists()


def test_lists_filter(archive: RunStore) -> None:
    archive.save(_small("a", target="local", studies=("sscl",)))
    archive.save(_small("b", target="board:arm64/bare", studies=("slac", "sscl"), status="incomplete"))
    archive.save(_small("c", target="local", studies=("scl%",), group="g"))

    def ids(**filters: str) -> list[str]:
        return [run.id for run in archive.list(**filters)]  # type: ignore[arg-type]

    assert ids() == ["c", "b", "a"]
    assert [run.id for run in archive.list(2)] == ["c", "b"]
    assert ids(target="local") == ["c", "a"]
    assert ids(study="sscl") == ["b", "a"]
    assert ids(study="s%") == []
    assert ids(status="incomplete") == ["b"]
    assert ids(group="g") == ["c"]
    assert ids(kernel="6.1.0") == ["c", "b", "a"]
    assert ids(kernel="6_1") == []


def test_summary_counts_what_the_run_has(archive: RunStore) -> None:
    run = make_run()
    archive.save(run)
    (summary,) = archive.list()
    assert (summary.results, summary.measured, summary.degraded) == (21, 20, True)
    assert summary.kernel == "Linux 6.1.0-18-amd64"
    assert summary.studies == run.studies


def test_result_figures_are_times_of_one_operation(archive: RunStore) -> None:
    batch = make_result(variant=Variant(pass_="batch"), values=[1_000, 3_000, 2_000])
    single = make_result(item=1, values=[10, 20, 30, 40])
    archive.save(make_run(results=(batch, single)))
    of_single, of_batch = archive.results("semaphore-ping")
    assert (of_single.min_ns, of_single.p50_ns, of_single.p99_ns, of_single.max_ns) == (10, 20, 40, 40)
    assert of_single.mean_ns == 25
    assert batch.ops == 100
    assert (of_batch.min_ns, of_batch.p50_ns, of_batch.mean_ns, of_batch.max_ns) == (10, 20, 20, 30)
    assert (of_batch.pass_, of_single.pass_) == ("batch", "single")
    assert archive.results("semaphore-ping", target="elsewhere") == ()
    assert len(archive.results("semaphore-ping", target="local", kernel="Linux 6.1.0-18-amd64", limit=1)) == 1


def test_delete_takes_everything_of_the_run_and_nothing_else(archive: RunStore, tmp_path: Path) -> None:
    archive.save(make_run("one"), [b"x"])
    archive.save(make_run("two"), [b"y"])
    assert archive.delete("one") == "one"
    assert [run.id for run in archive.list()] == ["two"]
    with sqlite3.connect(tmp_path / "a.sqlite") as file:
        for table in ("documents", "sessions", "results", "raw_logs"):
            assert file.execute(f"SELECT count(DISTINCT run) FROM {table}").fetchone() == (1,), table  # noqa: S608
    file.close()
    with pytest.raises(UsageError):
        archive.delete("one")


def test_default_place_is_the_users_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert default_path() == tmp_path / "home/.local/share/rtstone/archive.sqlite"
    monkeypatch.setenv("XDG_DATA_HOME", "not/absolute")
    assert default_path() == tmp_path / "home/.local/share/rtstone/archive.sqlite"
    archive = open_archive()
    archive.save(_small("there"))
    assert default_path().is_file()


@pytest.mark.parametrize("where", ["mysql://x/y", "sqlite://", "sqlite:///", "ftp://"])
def test_unknown_url_is_a_usage_error(where: str) -> None:
    with pytest.raises(UsageError, match="archive"):
        open_archive(where)


def test_sqlite_url_and_path_are_the_same(tmp_path: Path) -> None:
    open_archive(f"sqlite:///{tmp_path}/u.sqlite").save(_small("by-url"))
    assert open_archive(str(tmp_path / "u.sqlite")).load().id == "by-url"


@pytest.mark.parametrize("name", ["with space.sqlite", "per%cent.sqlite", "question?mark#.sqlite", "ünï.sqlite"])
def test_odd_names_of_files(tmp_path: Path, name: str) -> None:
    open_archive(str(tmp_path / name)).save(_small("x"))
    assert [path.name for path in tmp_path.glob("*.sqlite")] == [name]
    assert open_archive(str(tmp_path / name)).load().id == "x"
