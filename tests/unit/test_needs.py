# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A test that cannot run here is not run and counted; where all are demanded it fails; one that names a need it has not is found."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support import needs

TESTS = """
import os
import pytest

@pytest.mark.needs("cpus")
def test_honest():
    assert len(os.sched_getaffinity(0)) > 1

@pytest.mark.needs("cpus")
def test_that_names_a_need_which_it_has_not():
    pass

def test_without_needs():
    pass
"""


def _pytest(root: Path, folder: Path, mode: str) -> tuple[int, str]:
    """Runs the three tests where only one CPU may be used."""
    (folder / "conftest.py").write_text((root / "tests" / "conftest.py").read_text())
    (folder / "test_three.py").write_text(TESTS)
    words = [sys.executable, "-m", "pytest", "-c", str(root / "pyproject.toml"), "--rootdir", str(folder)]
    words += ["-p", "no:cacheprovider", f"--junit-xml={folder / 'results.xml'}", str(folder)]
    env = os.environ | {"PYTHONPATH": f"{root / 'tests'}:{root / 'src'}", "RTSTONE_TESTS": mode}
    env.pop("PYTEST_XDIST_WORKER", None)
    done = subprocess.run(
        ["taskset", "--cpu-list", str(min(os.sched_getaffinity(0))), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=env,
    )
    return done.returncode, done.stdout + done.stderr


def test_what_cannot_run_is_counted_by_reason(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = _pytest(root, tmp_path, "")
    assert (code, "1 passed, 2 skipped" in said) == (0, True), said
    needs.main([str(tmp_path / "results.xml")])
    assert capsys.readouterr().out == (
        "not run: 2 tests that need more than one CPU (cpus); in a container this gives it: --cpuset-cpus 0-1\n"
    )


def test_where_all_are_demanded_it_is_a_failure(root: Path, tmp_path: Path) -> None:
    code, said = _pytest(root, tmp_path, "all")
    assert (code, "1 passed, 2 errors" in said) == (1, True), said
    assert "this test cannot run here, and all are demanded: needs cpus: one CPU may be used" in said


def test_a_need_that_a_test_has_not_is_found(root: Path, tmp_path: Path) -> None:
    code, said = _pytest(root, tmp_path, "prove")
    assert code == 1
    assert "1 failed, 1 deselected, 1 xfailed" in said, said
    assert "FAILED" in said
    assert "test_that_names_a_need_which_it_has_not" in said


def test_an_unknown_need_is_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "test_odd.py").write_text("import pytest\n@pytest.mark.needs('luck')\ndef test_odd():\n    pass\n")
    code, said = _pytest(root, tmp_path, "")
    assert code == 4
    assert "there is no need 'luck'" in said


def test_continuous_integration_demands_all(root: Path) -> None:
    assert "RTSTONE_TESTS=all" in (root / ".ci" / "run").read_text()


@pytest.mark.parametrize("name", needs.NEEDS)
def test_each_need_is_tried_and_has_an_option(name: str) -> None:
    assert isinstance(needs.refused(name), str)
    assert needs.NEEDS[name].option.startswith("--")


def test_each_need_is_named_by_a_test_and_refused_by_the_trial(root: Path) -> None:
    tests = "".join(file.read_text() for file in (root / "tests" / "integration").glob("test_*.py"))
    named = {name for words in re.findall(r"mark\.needs\(([^)]*)\)", tests) for name in re.findall(r'"([^"]+)"', words)}
    steps = "\n".join(re.findall(r"^refuse (.*)", (root / "tools" / "test-needs").read_text(), re.MULTILINE))
    assert named == set(needs.NEEDS)
    assert [name for name in needs.NEEDS if not re.search(rf"(^|[ \"]){name}[ \",]", steps, re.MULTILINE)] == []
