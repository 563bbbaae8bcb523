# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""By the linker's symbols, no C file of the engine needs another that needs it. Only the simulated kernel may."""

from __future__ import annotations

import subprocess
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest


def _circle(objects: list[Path], folder: Path) -> list[str]:
    """Names of source files that need each other, or none."""
    listed = subprocess.run(["nm", "-A", "-P", *objects], capture_output=True, text=True, check=True).stdout
    wants: dict[str, set[str]] = defaultdict(set)
    makes: dict[str, str] = {}
    for line in listed.splitlines():
        path, symbol, kind = line.split()[:3]
        name = str(Path(path.rstrip(":")).relative_to(folder))
        if kind == "U":
            wants[name].add(symbol)
        elif kind.isupper():
            makes[symbol] = name
    needs = {name: {makes[one] for one in symbols if one in makes} - {name} for name, symbols in wants.items()}
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return sorted(set(error.args[1]))
    return []


def test_files_of_the_engine_need_each_other_in_one_direction(engine: Path) -> None:
    folder = engine.parent / "CMakeFiles" / "rtstone_engine_posix.dir"
    objects = sorted(folder.rglob("*.o"))
    assert len(objects) > 80
    assert _circle(objects, folder) == []


def test_the_simulated_kernel_is_the_one_circle(simulated_engine: Path) -> None:
    folder = simulated_engine.parent / "CMakeFiles" / "rtstone_engine_simulated.dir"
    objects = sorted(folder.rglob("*.o"))
    rest = [path for path in objects if "simulated" not in path.relative_to(folder).parts]
    assert len(rest) > 40
    assert _circle(rest, folder) == []
    assert all(name.startswith("ports/simulated/") for name in _circle(objects, folder))


def test_a_circle_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"a": "void b(void); void a(void) { b(); }", "b": "void a(void); void b(void) { a(); }"}.items():
        Path(f"{name}.c").write_text(text)
        subprocess.run(["gcc", "-c", f"{name}.c"], check=True)
    assert _circle([tmp_path / "a.o", tmp_path / "b.o"], tmp_path) == ["a.o", "b.o"]
