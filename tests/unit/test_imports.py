# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The dependencies of the layout run one way: a file imports only what tests/support/layering.py allows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rtstone.cli import _app
from support.layering import C_ARROWS, PYTHON_ARROWS, c_violations, circles, python_graph, python_violations

# What makes a start slow; `rtstone --help` must do without (0.3 s).
HEAVY = ("numpy", "scipy", "sqlalchemy", "alembic", "altair", "vl_convert", "jinja2", "hdrh")


def _module_name(package: Path, path: Path) -> str:
    parts = [*path.relative_to(package.parent).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_python_arrows(root: Path) -> None:
    package = root / "src" / "rtstone"
    sources = sorted(package.rglob("*.py"))
    assert len(sources) > len(PYTHON_ARROWS)
    found = [
        violation
        for path in sources
        for violation in python_violations(
            path.read_text(encoding="utf-8"), _module_name(package, path), is_package=path.name == "__init__.py"
        )
    ]
    assert found == []


def test_c_arrows(root: Path) -> None:
    tops = ("engine", "examples", "ioc", "linux", "ports")
    sources = [path for top in tops for path in sorted((root / top).rglob("*.[ch]"))]
    tested = {path.relative_to(root).parts[0] for path in sources if path.parent.name == "tests"}
    assert {path.relative_to(root).parts[0] for path in sources} == tested | {"examples"} == set(tops)
    assert [violation for path in sources for violation in c_violations(root, path)] == []


def test_python_arrows_form_no_circle() -> None:
    """A part stands below all that it imports, so that reading PYTHON_ARROWS downwards needs no look ahead."""
    above: set[str] = set()
    for part, allowed in PYTHON_ARROWS.items():
        assert allowed <= above, f"{part} -> {', '.join(sorted(allowed - above))} points downwards"
        above.add(part)


def test_no_modules_import_each_other(root: Path) -> None:
    """Not by way of others, and not in functions or for type checking either."""
    graph = python_graph(root / "src" / "rtstone")
    assert len(graph) > 100
    assert circles(graph) == set()


def test_a_circle_is_found(tmp_path: Path) -> None:
    package = tmp_path / "made"
    (package / "inner").mkdir(parents=True)
    texts = {
        "__init__.py": "",
        "alone.py": "import os",
        "first.py": "from made import inner",
        "inner/__init__.py": "from made.inner import thing",
        "inner/thing.py": "def f():\n    from ..first import x",
        "user.py": "import made.first",
    }
    for name, text in texts.items():
        (package / name).write_text(text, encoding="utf-8")
    assert circles(python_graph(package)) == {"made.first", "made.inner", "made.inner.thing"}


@pytest.mark.parametrize(
    ("module", "source", "arrow"),
    [
        (
            "rtstone.show.report.page",
            "from rtstone.targets import local",
            "show -> targets (rtstone.show.report.page)",
        ),
        (
            "rtstone.show.report.page",
            "def f():\n    import rtstone.targets.local",
            "show -> targets (rtstone.show.report.page)",
        ),
        (
            "rtstone.show.report.page",
            "from ...targets.local import open_it",
            "show -> targets (rtstone.show.report.page)",
        ),
        ("rtstone.show.report.page", "from rtstone import targets", "show -> targets (rtstone.show.report.page)"),
        ("rtstone.stream.codec", "from rtstone.cli import main", "stream -> cli (rtstone.stream.codec)"),
        ("rtstone.stats.tests", "import os", "stats -> os (rtstone.stats.tests)"),
        ("rtstone.stats.tests", "from subprocess import run", "stats -> subprocess (rtstone.stats.tests)"),
        ("rtstone", "from rtstone.cli import main", "rtstone -> cli (rtstone)"),
    ],
)
def test_python_arrow_that_is_not_there_is_named(module: str, source: str, arrow: str) -> None:
    assert python_violations(source, module) == [arrow]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("rtstone.show.report.page", "from rtstone.stats import quantile\nfrom . import charts\nimport altair"),
        ("rtstone.stats.tests", "import numpy as np\nfrom scipy.stats import bootstrap\nfrom rtstone.model import Run"),
        (
            "rtstone.targets.local",
            "import os\nfrom rtstone.errors import UsageError\nfrom rtstone.version import __version__",
        ),
    ],
)
def test_python_arrow_that_is_there_passes(module: str, source: str) -> None:
    assert python_violations(source, module) == []


def test_python_part_without_arrows_is_named() -> None:
    (found,) = python_violations("", "rtstone.newcomer.thing")
    assert found.startswith("newcomer: this room has no arrows")


@pytest.mark.parametrize(
    ("file", "text", "violation"),
    [
        ("engine/measurements/ping.c", '#include "../src/plan.h"', "engine/measurements -> ../src/plan.h"),
        ("engine/measurements/ping.c", '#include "plan.h"', "engine/measurements -> plan.h"),
        ("engine/measurements/ping.c", "#include <stdio.h>", "engine/measurements -> stdio.h"),
        ("engine/loads/cpu.c", "#  include <math.h>", "engine/loads -> math.h"),
        ("engine/src/run.c", "#include <stdlib.h>", "engine/src -> stdlib.h"),
        ("engine/src/run.c", '#include "rtstone_port.h"', "engine/src -> rtstone_port.h"),
        (
            "ports/posix/thread.c",
            '#include "../../engine/measurements/common.h"',
            "ports/* -> ../../engine/measurements/",
        ),
        ("ports/posix/thread.c", '#include "../bare/uart.h"', "ports/* -> ../bare/uart.h"),
        ("linux/files.c", '#include "../ioc/include/load.h"', "linux -> ../ioc/include/load.h"),
        ("linux/tests/test_a.c", '#include "../../ports/bare/uart.h"', "linux/tests -> ../../ports/bare/uart.h"),
        ("linux/tests/test_a.c", '#include "../../engine/src/plan.h"', "linux/tests -> ../../engine/src/plan.h"),
        ("ports/posix/tests/test_a.c", '#include "../../bare/uart.h"', "ports/*/tests -> ../../bare/uart.h"),
        ("ioc/tests/a.c", '#include "../../ports/bare/uart.h"', "ioc/tests -> ../../ports/bare/uart.h"),
        ("engine/tests/test_a.c", '#include "../../ports/bare/uart.h"', "engine/tests -> ../../ports/bare/uart.h"),
        ("elsewhere/a.c", "#include <stdint.h>", "elsewhere/a.c: this folder has no arrows"),
    ],
)
def test_c_arrow_that_is_not_there_is_named(tmp_path: Path, file: str, text: str, violation: str) -> None:
    for header in ("engine/src/plan.h", "engine/measurements/common.h", "ports/bare/uart.h", "ioc/include/load.h"):
        (tmp_path / header).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / header).touch()
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    (found,) = c_violations(tmp_path, path)
    assert found.startswith(violation)


def test_c_arrow_that_is_there_passes(tmp_path: Path) -> None:
    texts = {
        "engine/include/rtstone/port.h": '#include "rtstone_port.h"\n#include <stdint.h>',
        "engine/src/plan.h": '#include "rtstone/port.h"',
        "engine/src/plan.c": '#include "plan.h"\n#include <string.h>\n#include "rtstone/port.h"',
        "engine/measurements/ping.c": '#include "rtstone/port.h"',
        "ports/posix/include/rtstone_port.h": "#include <pthread.h>",
        "engine/tests/checks.h": "#include <cmocka.h>",
        "engine/tests/test_plan.c": '#include "../src/plan.h"\n#include "checks.h"',
        "linux/files.h": "#include <stdio.h>",
        "linux/tests/test_files.c": '#include "../../engine/tests/checks.h"\n#include "../files.h"\n#include <time.h>',
        "ports/posix/thread.c": '#include "rtstone_port.h"\n#include "rtstone/port.h"\n#include <stdio.h>',
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert [violation for name in texts for violation in c_violations(tmp_path, tmp_path / name)] == []
    assert {folder.split("/")[0] for folder in C_ARROWS} == {"engine", "examples", "ioc", "linux", "ports"}


def test_help_needs_no_heavy_library(root: Path) -> None:
    script = (
        "import sys, rtstone.cli\n"
        "try:\n    rtstone.cli.main(['--help'])\n"
        f"finally:\n    print('heavy:', *[name for name in {HEAVY} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root / "src", capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "heavy:"


@pytest.mark.parametrize(
    ("words", "asked", "loaded"),
    [
        (["--help"], {}, set()),
        (["list", "--help"], {}, {"list_"}),
        ([], {"_RTSTONE_COMPLETE": "complete_bash", "COMP_WORDS": "rtstone re", "COMP_CWORD": "1"}, set()),
        ([], {"_RTSTONE_COMPLETE": "complete_bash", "COMP_WORDS": "rtstone show --", "COMP_CWORD": "2"}, {"show"}),
    ],
)
def test_one_command_is_loaded_without_the_others(
    root: Path, words: list[str], asked: dict[str, str], loaded: set[str]
) -> None:
    script = (
        "import atexit, sys\nfrom rtstone.cli import main\n"
        "sys.argv[:] = ['rtstone']\n"
        "atexit.register(lambda: print('LOADED', *[m for m in sys.modules if m.startswith('rtstone.cli.')]))\n"
        f"main({words})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(root / "src"), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **asked},
    )
    assert "LOADED" in done.stdout, done.stderr
    modules = {name.removeprefix("rtstone.cli.") for name in done.stdout.split("LOADED")[1].split()}
    commands = {one.module.removeprefix("rtstone.cli.") for one in _app.commands().values()}
    # `show` takes its words from two files that are commands too.
    assert modules & commands <= loaded | ({"archive"} if "show" in loaded else set()), modules
    assert loaded <= modules
