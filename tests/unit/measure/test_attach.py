# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What the engine counts of watched threads is in the run: no field is decoded and shown nowhere."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from rtstone.errors import UsageError
from rtstone.measure import attach, host
from rtstone.model import Run

THREAD = attach._Thread(
    **dict.fromkeys((name for name in attach._Thread.__struct_fields__ if name not in ("comm", "buckets")), 3),
    comm=b"scan-1".hex(),
    buckets=((7, 3),),
)


def _told(thread: attach._Thread) -> Run:
    end = attach._End(elapsed=10, stopped=False, timed=False, runs=0, run_ns=0, missed=0, refused=0)
    share = attach._Share(of=3, kind="task", number=0, count=1, total=0, most=0, comm=b"waker".hex())
    said = b"\n".join(map(msgspec.json.encode, (thread, share, end)))
    wanted = attach.Wanted(name="comm scan-1", duration_s=1)
    return attach._run(wanted, said, "", datetime(2026, 1, 1, tzinfo=UTC), host.Snapshot.take())


def _shown(run: Run) -> tuple[object, ...]:
    (session,) = run.sessions
    return session.results, session.degraded, run.host["attach.ended"]


@pytest.mark.parametrize("field", [one for one in attach._Thread.__struct_fields__ if one not in ("comm", "buckets")])
def test_every_count_of_a_thread_is_in_the_run(field: str) -> None:
    changed = msgspec.structs.replace(THREAD, **{field: 1 if field == "policy" else 0})
    assert _shown(_told(changed)) != _shown(_told(THREAD))


def test_causes_without_a_name_are_told_in_words() -> None:
    run = _told(msgspec.structs.replace(THREAD, unnamed=5))
    assert any("5 times there was no room for the name" in lack.text for lack in run.degraded)
    assert {one.name: one.value for one in run.results()[0].figures}["causes-unnamed"] == 5


def test_a_control_group_has_the_name_that_proc_tells(tmp_path: Path) -> None:
    """Of version 2 alone, and of version 2 beside version 1."""
    for folder, pid in (("system.slice/a", 11), ("unified/system.slice/b/inner", 12)):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "cgroup.procs").write_text(f"{pid}\n")
    assert attach.processes_of_cgroup("/system.slice/a", tmp_path) == (11,)
    assert attach.processes_of_cgroup("/system.slice/b", tmp_path) == (12,)
    assert attach.processes_of_cgroup(f"{tmp_path}/unified/system.slice", tmp_path) == (12,)
    with pytest.raises(UsageError, match="there is no control group /c below"):
        attach.processes_of_cgroup("/c", tmp_path)
