# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""There is one verdict on a run, and it names every doubt."""

from __future__ import annotations

import msgspec
import pytest

from rtstone.archive import open_archive
from rtstone.model import Degraded, Run, Variant
from rtstone.model.verdict import verdict
from rtstone.show.report._verdict import verdict as of_report
from rtstone.show.tables import doubts
from support.runs import make_result, make_run, make_session


def _sound() -> Run:
    return make_run(
        results=(make_result(count=20), make_result(item=1, count=20, variant=Variant(load="cpu"))), degraded=()
    )


def _with_result(**changes: object) -> Run:
    run = _sound()
    first, *rest = run.sessions[0].results
    results = (msgspec.structs.replace(first, **changes), *rest)
    return msgspec.structs.replace(run, sessions=(msgspec.structs.replace(run.sessions[0], results=results),))


RUNS = {
    "sound": (_sound(), "complete", ()),
    "interrupted": (msgspec.structs.replace(_sound(), status="interrupted"), "incomplete", ("the run is interrupted",)),
    "failed": (
        msgspec.structs.replace(_sound(), status="incomplete", error="it hung"),
        "incomplete",
        ("the run failed: it hung",),
    ),
    "without sessions": (msgspec.structs.replace(_sound(), sessions=()), "incomplete", ("nothing measured",)),
    "a broken session": (
        msgspec.structs.replace(
            _sound(), sessions=(make_session((make_result(count=20),), complete=False, problems=("line 7: gap",)),)
        ),
        "incomplete",
        ("1 session incomplete: line 7: gap",),
    ),
    "an invalid result": (_with_result(status="invalid"), "incomplete", ("1 result invalid",)),
    "a failed result": (_with_result(status="failed"), "incomplete", ("1 result failed",)),
    "lost samples": (_with_result(dropped=3), "doubtful", ("3 samples dropped by the target",)),
    "degraded": (
        msgspec.structs.replace(_sound(), degraded=(Degraded("no SCHED_FIFO", "", ""),)),
        "doubtful",
        ("degraded, something was missing: no SCHED_FIFO",),
    ),
    "not idle": (
        msgspec.structs.replace(_sound(), host={"cpu.measured.others_percent": "12"}),
        "doubtful",
        ("not idle: 12 % used by others",),
    ),
    "its own load": (
        msgspec.structs.replace(_sound(), target="attached:comm x", host={"cpu.measured.others_percent": "98"}),
        "complete",
        (),
    ),
    "steal time": (
        msgspec.structs.replace(_sound(), host={"cpu.measured.steal_percent": "1.5"}),
        "doubtful",
        ("steal time 1.5 %",),
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_terminal_report_and_archive_say_the_same(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    run, level, why = RUNS[name]
    assert (verdict(run).level, verdict(run).doubts) == (level, why)
    assert doubts(run) == why
    assert of_report([run], ["it"]).level == level
    archive = open_archive(str(tmp_path_factory.mktemp("a") / "a.sqlite"))
    archive.save(run)
    (saved,) = archive.list()
    assert (saved.verdict, saved.doubts) == (level, why)


def test_the_worst_run_decides_for_several() -> None:
    runs = [RUNS[name][0] for name in ("sound", "degraded", "interrupted")]
    assert [of_report(runs[:count], ["a", "b", "c"][:count]).level for count in (1, 2, 3)] == [
        "complete",
        "doubtful",
        "incomplete",
    ]
