# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""SUPPORTED.md says what is so: each port is asked, each line of code is counted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rtstone.ioc import build_engine
from rtstone.stream import collect
from rtstone.stream.plan import Item, Plan
from rtstone.targets import open_target
from support import supported
from support.firmware import run, session
from support.images import Build, image, lasting_cache

__all__ = ["image"]  # the fixture

MARKS = ("<!-- measurements -->\n", "<!-- end of measurements -->\n")


KERNELS = (("arm64", "bare"), ("arm64", "freertos"), ("mps2-an385", "rt"), ("mps2-an385", "freertos-rust"))


@pytest.fixture
def _built(root: Path, image: Build) -> None:
    """Builds have limits of their own, and on a busy machine take longer than a test may."""
    with lasting_cache(root):
        build_engine()
    for board, kernel in KERNELS:
        image(board, kernel)


@pytest.mark.needs("realtime", "bpf")
@pytest.mark.timeout(300, func_only=True)
@pytest.mark.usefixtures("_built")
def test_measurements_of_each_port(root: Path, engine: Path, image: Build, tmp_path: Path) -> None:
    posix = supported.of_engine(engine)
    items = tuple(Item(item=number, measurement=name, count=10) for number, name in enumerate(posix))
    plan = Plan(seed=1, repetition=0, items=items)
    cells = {"posix": posix, "epics": _of_epics(root, plan)}
    for board, kernel in KERNELS:
        stream = run(image(board, kernel), board, kernel, plan, tmp_path / kernel)
        cells[kernel] = supported.of_session(session(stream, plan))
    page = root / "SUPPORTED.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(MARKS[0])
    stated, _, after = rest.partition(MARKS[1])
    made = "".join(f"{line}\n" for line in supported.table(cells))
    if os.environ.get("WRITE_SUPPORTED"):
        page.write_text(before + MARKS[0] + made + MARKS[1] + after, encoding="utf-8")
    else:
        assert stated == made, "write the table with WRITE_SUPPORTED=1 in this test's environment"


def _of_epics(root: Path, plan: Plan) -> dict[str, str]:
    with lasting_cache(root), pytest.MonkeyPatch.context() as patch:
        patch.setenv("RTSTONE_ENGINE_EPICS", str(build_engine()))
        with open_target("epics") as target:
            target.deploy()
            (found,) = collect(list(target.start(plan)), plan)
    return supported.of_session(found)


def test_a_line_of_code_is_counted_as_one(root: Path, tmp_path: Path) -> None:
    namespace: dict[str, object] = {"__name__": "counter", "__file__": str(root / "tools" / "count-port-lines")}
    exec((root / "tools" / "count-port-lines").read_text(encoding="utf-8"), namespace)  # noqa: S102 - it has no suffix
    source = tmp_path / "a.c"
    source.write_text('/* one\n two */\n\nint a; // said\nchar *b = "/* no comment */";\n  // alone\n/* x */ int c;\n')
    count = namespace["code_lines"]
    assert callable(count)
    assert count(source) == 3
