# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine inside an IOC leaves the IOC's signals as they were."""

from __future__ import annotations

import re
import time
from pathlib import Path

from rtstone.ioc import Ioc, build_inside
from rtstone.stream import collect
from rtstone.stream.plan import Item, Plan, encode
from support.images import lasting_cache
from support.ioc import private


def _signals(root: Path, folder: Path, script: Path, *then: str) -> dict[str, str]:
    """Which signals an IOC catches and ignores that has done what `then` says at the end of its script."""
    text = (root / "ioc" / "program" / "st.cmd").read_text(encoding="utf-8")
    script.write_text("\n".join([text, *then, "echo at-the-end", ""]), encoding="utf-8")
    with Ioc(folder, private(script=script, pva_port=None)) as ioc:
        until = time.monotonic() + 60
        while not any("at-the-end" in line for line in ioc.lines):
            assert time.monotonic() < until, ioc.lines
            time.sleep(0.02)
        status = Path(f"/proc/{ioc.pid}/status").read_text(encoding="ascii")
    return dict(re.findall(r"^(SigCgt|SigIgn):\t(\w+)$", status, re.MULTILINE))


def test_the_engine_leaves_signals_alone(root: Path, tmp_path: Path) -> None:
    with lasting_cache(root):
        folder = build_inside()
    plan, records, script = tmp_path / "plan", tmp_path / "records", tmp_path / "engine.cmd"
    item = Item(item=0, measurement="interrupt-total", count=1000, period_ns=1_000_000)
    plan.write_bytes(encode(Plan(seed=1, repetition=0, items=(item,))))
    records.touch()
    library = f'loadLibrary("{folder}/librtstone-engine.so")'
    before = _signals(root, folder, script, library)
    assert set(before) == {"SigCgt", "SigIgn"}
    assert _signals(root, folder, script, library, f'engineRun("{records}", "{plan}", "")') == before
    (session,) = collect(records.read_bytes().splitlines())
    assert next(result.count for result in session.results) == 1000
