# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`tools/results-page`: the page of results is what the command draws of the kept archive."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from rtstone.archive import open_archive
from rtstone.errors import UsageError
from support.runs import make_result, make_run


@pytest.fixture
def tool(root: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    loader = importlib.machinery.SourceFileLoader("results_page", str(root / "tools" / "results-page"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, loader.name, module)  # msgspec looks there for the types
    loader.exec_module(module)
    return module


def test_the_page_is_what_the_command_draws_of_the_kept_archive(tool: Any, root: Path) -> None:
    page = (root / "docs" / "explanation" / "results.md").read_text(encoding="utf-8")
    assert tool.page(tool.kept_runs()) == page
    assert page.count("slac Table 1") == page.count("rhealstone Table 1") == 5, "a table a board"


def test_the_page_shows_no_published_figure(tool: Any, root: Path) -> None:
    page = (root / "docs" / "explanation" / "results.md").read_text(encoding="utf-8")
    assert not [name for name in ("pSOS+", "VRTX32", "LynxOS", "RTL", "published:") if name in page]
    assert page.count("| board:mps2-an385/freertos |") == 1


def test_the_kept_runs_know_nothing_of_the_host(tool: Any) -> None:
    runs = tool.kept_runs()
    assert len(runs) == 16
    assert all(name.startswith("board.") for run in runs for name in run.host)
    assert {run.status for run in runs} == {"complete"}


def test_runs_of_an_archive_replace_the_kept_ones(tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "archive.sqlite"
    with_facts = make_run("r-1", results=(make_result(count=50),), host={"cpu.model": "mine", "board.id": "b"})
    for run in (with_facts, make_run("r-2", results=(make_result(count=50),), host={"board.id": "b"})):
        open_archive(str(place)).save(run)
    monkeypatch.setattr(tool, "KEPT", tmp_path / "kept.json.xz")
    tool.keep(place)
    assert [(run.id, run.host) for run in tool.kept_runs()] == [("r-1", {"board.id": "b"}), ("r-2", {"board.id": "b"})]


@pytest.mark.parametrize("hosts", [[], [{"board.id": "b"}], [{"board.id": "b"}, {"cpu.model": "mine"}]])
def test_an_archive_of_other_runs_is_refused(tool: Any, tmp_path: Path, hosts: list[dict[str, str]]) -> None:
    place = tmp_path / "archive.sqlite"
    for number, host in enumerate(hosts):
        open_archive(str(place)).save(make_run(f"r-{number}", results=(make_result(count=50),), host=host))
    with pytest.raises(UsageError, match=r"archive\.sqlite must have two runs at least, all of virtual boards"):
        tool.keep(place)
