# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The vectors of spec/vectors, which the engine's reader and writer are held to as well."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rtstone.errors import UsageError
from rtstone.stream import LineSplitter, collect, framing, plan

VECTORS = Path(__file__).resolve().parents[3] / "spec" / "vectors"
INDEX: dict[str, list[dict[str, Any]]] = json.loads((VECTORS / "index.json").read_text(encoding="utf-8"))


def _lines(path: Path) -> list[bytes]:
    splitter = LineSplitter()
    return splitter.feed(path.read_bytes()) + splitter.finish()


def _verdict(sessions: tuple[Any, ...]) -> str:
    if any(session.losses.refused for session in sessions):
        return "refused"
    complete = [session.complete for session in sessions]
    return "reset" if complete == [False, True] else "complete" if all(complete) else "incomplete"


@pytest.mark.parametrize("vector", INDEX["streams"], ids=lambda vector: Path(vector["file"]).stem)
def test_stream(vector: dict[str, Any]) -> None:
    lines = _lines(VECTORS / vector["file"])
    sessions = collect(lines)
    losses = [session.losses for session in sessions]
    assert {
        "verdict": _verdict(sessions),
        "lines": sum(session.lines for session in sessions),
        "console_lines": sum(session.console_lines for session in sessions),
        "bad_lines": sum(loss.bad_lines for loss in losses),
        "malformed": sum(loss.malformed for loss in losses),
        "gaps": sum(loss.gaps for loss in losses),
        "missing_records": sum(loss.missing_records for loss in losses),
        "duplicates": sum(loss.duplicates for loss in losses),
        "no_bye": sum(loss.no_bye for loss in losses),
        "unknown_records": sum(session.unknown_records for session in sessions),
        "sessions": [[result.status for result in session.results] for session in sessions],
    } == {key: value for key, value in vector.items() if key not in ("file", "what", "frames")}
    for session in sessions:
        assert session.complete == (not session.problems)


@pytest.mark.parametrize("vector", INDEX["streams"], ids=lambda vector: Path(vector["file"]).stem)
def test_frames_come_back_to_the_byte(vector: dict[str, Any]) -> None:
    frames = 0
    for raw in _lines(VECTORS / vector["file"]):
        try:
            seq, payload = framing.decode(framing.strip(raw)) if raw.startswith(b"~") else (-1, b"")
        except framing.FrameError:
            continue
        if seq >= 0:
            frames += 1
            assert framing.encode(seq, payload) == framing.strip(raw) + b"\n"
    assert frames == vector["frames"]


@pytest.mark.parametrize("vector", INDEX["plans"], ids=lambda vector: Path(vector["file"]).stem)
def test_plan(vector: dict[str, Any]) -> None:
    content = (VECTORS / vector["file"]).read_bytes()
    if vector["verdict"] == "accepted":
        accepted = plan.decode(content)
        assert len(accepted.items) == vector["items"]
        assert plan.decode(plan.encode(accepted)) == accepted
    elif not vector["engine_only"]:
        with pytest.raises(UsageError):
            plan.decode(content)


def test_index_names_every_file() -> None:
    named = {vector["file"] for vectors in INDEX.values() for vector in vectors}
    found = {
        path.relative_to(VECTORS).as_posix() for path in VECTORS.rglob("*") if path.parent != VECTORS and path.is_file()
    }
    assert named == found
