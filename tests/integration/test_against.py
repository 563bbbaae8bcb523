# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone run --against` as a user starts it: two interleaved sides, saved as one group, compared at the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtstone.archive import open_archive
from support.command import rtstone as run

pytestmark = pytest.mark.usefixtures("engine", "simulated_engine")

QUICK = ("-t", "simulated", "-m", "semaphore-ping", "--load", "none", "--count", "200", "--sets", "5", "-r", "4")


def test_a_target_against_itself_shows_no_difference(tmp_path: Path) -> None:
    done = run("run", *QUICK, "--against", "simulated", "--report", str(tmp_path / "page.html"))
    assert "no difference shown" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "no difference shown" in done.stdout
    assert "improved" not in done.stdout
    assert "regressed" not in done.stdout
    summary = done.stdout.rstrip().splitlines()[-1]
    assert summary.endswith("no difference shown") or "insufficient data" in summary
    first, second = open_archive().list()
    assert first.group == second.group != ""
    assert {first.label, second.label} == {"simulated, A", "simulated, B"}
    runs = [open_archive().load(one.id) for one in (first, second)]
    assert [len(one.sessions) for one in runs] == [4, 4]
    assert [s.seed for s in runs[0].sessions] == [s.seed for s in runs[1].sessions]
    assert [s.repetition for s in runs[0].sessions] == [0, 1, 2, 3]
    again = run("compare", f"{first.group}@simulated, A", f"{first.group}@simulated, B")
    assert again.stdout == done.stdout


def test_turns_alternate_and_commands_go_before_them(tmp_path: Path) -> None:
    log = tmp_path / "log"
    done = run(
        *("run", *QUICK, "--against", "simulated"),
        *("--before", f"echo A >> {log}", "--before-against", f"echo B >> {log}"),
    )
    assert log.read_text(encoding="utf-8").split() == list("ABBAABBA")
    said = "".join(done.stdout.split())  # a long path goes over several lines
    assert f"echoA>>{log}" in said.partition("before:")[2]
    assert f"echoB>>{log}" in said.partition("before:")[2]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("-t", "local,simulated", "--against", "simulated"), "one target with one other"),
        (("--before-against", "true"), "--before-against needs --against"),
        (("--against", "nowhere"), "unknown kind of target 'nowhere'"),
    ],
)
def test_refusals(arguments: tuple[str, ...], says: str) -> None:
    done = run("run", "-m", "semaphore-ping", *arguments, expect=2)
    assert says in done.stderr
    assert done.stdout == ""
