# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Pruning removes runs by age and label, and nothing else.

Other programs may read the documented views, and no others.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import msgspec
import pytest

from rtstone.archive import Pruned, RunStore, open_archive, unpack_session
from rtstone.archive._views import VIEWS
from rtstone.errors import InfrastructureError, UsageError
from rtstone.model import Run
from support.command import rtstone
from support.runs import make_result, make_run

DOCUMENTED = Path(__file__).resolve().parents[3] / "docs/reference/archive-views.md"
LOG = b"a raw log\n" * 100


def _run(number: int, started: str, label: str = "") -> Run:
    return make_run(f"20261122T120000-{number:020x}", results=(make_result(count=30),), started=started, label=label)


def _ago(days: int) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.fixture
def archive(tmp_path: Path) -> RunStore:
    """Six runs: of 500, 100 and 10 days ago, a labelled one of 500, one of no time, one under way."""
    made = open_archive(str(tmp_path / "archive.sqlite"))
    for number, (days, label) in enumerate(((500, ""), (100, ""), (10, ""), (500, "keep"))):
        made.save(_run(number, _ago(days), label), [LOG, LOG])
    made.save(_run(4, ""), [LOG])
    made.checkpoint(_run(5, _ago(500)), [LOG], owner="mine")
    return made


def _logs(archive: RunStore) -> list[int]:
    return [len(archive.raw_logs(run.id)) for run in archive.list()]


def test_a_dry_run_changes_nothing_and_counts_what_the_real_one_removes(archive: RunStore) -> None:
    before = archive.list()
    asked = partial(archive.prune, raw_before=_ago(50), runs_before=_ago(400), label="")
    told = asked()
    assert archive.list() == before
    assert sum(_logs(archive)) == 10
    assert (told.runs, told.removed, told.raw_logs, told.stay) == (6, 1, 4, 2)
    assert told.raw_bytes == 4 * len(zlib.compress(LOG, 1))
    assert (told.removed_ids, told.raw_ids) == ((_run(0, "").id,), (_run(1, "").id,))
    assert asked(act=True) == told
    left = archive.list()
    assert [run.id for run in before if run not in left] == [_run(0, "").id]
    assert sum(_logs(archive)) == 6
    assert asked() == Pruned(runs=5, stay=2)


def test_figures_stay_where_only_raw_logs_go(archive: RunStore) -> None:
    run = archive.load(_run(1, "").id)
    told = archive.prune(raw_before=_ago(0), act=True)
    assert (told.removed, told.raw_logs) == (0, 8)
    assert archive.load(run.id) == run
    assert archive.raw_logs(run.id) == ()


def test_runs_go_by_label_alone_where_one_is_given(archive: RunStore) -> None:
    assert archive.prune(runs_before=_ago(400), label="keep", act=True).removed == 1
    assert [run.label for run in archive.list()] == [""] * 5


def test_the_command_asks_for_yes(archive: RunStore) -> None:
    where = ("--archive", str(archive.location))
    assert "name an age" in rtstone("archive", "prune", *where, expect=2).stderr
    assert "takes a number of days" in rtstone("archive", "prune", *where, "--raw-older-than", "3w", expect=2).stderr
    asked = ("archive", "prune", *where, "--runs-older-than", "400d")
    shown = rtstone(*asked).stdout.splitlines()
    assert shown[0] == "would remove 4 raw record streams (0.0 MB) and 2 of 6 runs: add --yes"
    assert len(archive.list()) == 6
    done = rtstone(*asked, "--yes").stdout.splitlines()
    assert done[0].endswith("and 2 of 6 runs; left: 4 runs")
    assert len(archive.list()) == 4
    named = {f"  {_run(number, '').id}  the whole run" for number in (0, 3)}
    assert (set(shown[1:]), set(done[1:])) == (named, named)
    streams = rtstone("archive", "prune", *where, "--raw-older-than", "50d").stdout.splitlines()
    assert streams[1:] == [f"  {_run(1, '').id}  raw record streams"]


def test_an_archive_that_is_not_there_has_nothing_to_prune(tmp_path: Path) -> None:
    assert open_archive(str(tmp_path / "none.sqlite")).prune(runs_before=_ago(0), act=True) == Pruned()


def test_a_file_has_no_roles(archive: RunStore) -> None:
    with pytest.raises(UsageError, match="is a file"):
        archive.grant("somebody", "read")


def test_the_views_have_the_columns_that_the_page_promises(archive: RunStore) -> None:
    page = DOCUMENTED.read_text(encoding="utf-8")
    with sqlite3.connect(str(archive.location)) as database:
        for view in VIEWS:
            columns = [one[0] for one in database.execute(f"SELECT * FROM {view}").description]  # noqa: S608 - our own names
            section = page.partition(f"## {view}\n")[2].partition("\n## ")[0]
            told = [line.split("`")[1] for line in section.splitlines() if line.startswith("| `")]
            assert columns == told, view
        runs = database.execute("SELECT run, under_way FROM v1_runs ORDER BY run").fetchall()
        assert [under_way for _, under_way in runs] == [0, 0, 0, 0, 0, 1]
        assert database.execute("SELECT runs FROM v1_machines").fetchall() == [(6,)]
        (figure,) = database.execute("SELECT DISTINCT samples FROM v1_results").fetchall()
        assert figure == (30,)
    database.close()


def test_the_pages_way_to_a_histogram_leads_to_it(archive: RunStore) -> None:
    with sqlite3.connect(str(archive.location)) as database:
        (data,) = database.execute("SELECT data FROM v1_histograms LIMIT 1").fetchone()
    database.close()
    histogram = json.loads(unpack_session(data))["results"][0]["histogram"]
    made = make_result(count=30).histogram
    assert made is not None
    assert histogram == json.loads(msgspec.json.encode(made))


@pytest.mark.parametrize("change", ["DROP VIEW v1_runs; CREATE VIEW v1_runs AS SELECT 1", "CREATE VIEW v9 AS SELECT 1"])
def test_another_view_is_refused(archive: RunStore, change: str) -> None:
    with sqlite3.connect(str(archive.location)) as database:
        database.executescript(change)
    database.close()
    with pytest.raises(InfrastructureError, match="is not to be trusted: the view"):
        archive.list()
