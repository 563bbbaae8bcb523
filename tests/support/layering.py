# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Which part of the source may depend on which, as data, and how a file's dependencies are read from it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# ---- Python ----------------------------------------------------------------------------------------------------------

# Room of src/rtstone (or module beside the rooms) -> what it may import, beside itself, `errors` and `version`.
# The rooms are a stair: a room imports only what stands above it here.
PYTHON_ARROWS: dict[str, set[str]] = {
    "errors": set(),
    "version": set(),
    "resources": set(),
    "plugins": {"resources"},
    "config": {"resources"},
    "cache": {"config"},
    "model": set(),
    "stats": {"model"},
    "stream": {"model", "resources"},
    "studies": {"model", "resources", "stream"},
    "archive": {"config", "model", "plugins", "stats", "stream"},
    "machine": {"config", "model", "resources"},
    "targets": {"cache", "config", "machine", "model", "plugins", "resources", "stream"},
    "measure": {"archive", "config", "machine", "model", "resources", "stream", "studies", "targets"},
    "judge": {"model", "stats", "studies"},
    "show": {"archive", "config", "judge", "model", "plugins", "resources", "stats", "studies"},
    "api": {"archive", "config", "model", "show", "stats"},
    "cli": {
        *("archive", "config", "judge", "machine", "measure", "model", "plugins", "resources", "show", "stats"),
        *("stream", "studies", "targets"),
    },
    # The rooms above register what they have by entry points: nothing below knows them.
    "attach": {"cli", "config", "machine", "measure", "model", "resources", "show", "stats"},
    "explain": {*("cache", "cli", "config", "judge", "model", "resources", "show", "stats", "stream", "targets")},
    "ioc": {"cache", "cli", "model", "resources", "stream", "targets"},
    "lab": {"archive", "cli", "config", "machine", "measure", "model", "studies", "targets"},
    "serve": {"archive", "cli", "config", "judge", "model", "show", "studies"},
    "tune": {
        *("archive", "attach", "cli", "config", "machine", "measure", "model", "show", "stats", "stream"),
        *("studies", "targets"),
    },
    "pytest_plugin": {"cli", "judge", "show"},
    "__main__": {"cli"},
}

# Rooms that only their entry points name.
REGISTERED = ("attach", "explain", "ioc", "lab", "serve", "tune")

# Parts that are pure functions of their arguments -> all that they may import from elsewhere.
PURE_IMPORTS: dict[str, set[str]] = {
    "stats": {
        *("__future__", "bisect", "collections", "dataclasses", "enum", "fractions", "functools", "itertools", "math"),
        *("re", "statistics", "typing", "msgspec", "numpy", "scipy"),
        *("importlib", "sys", "threading", "types"),  # for the import of scipy's functions
    },
}


def python_imports(source: str, module: str, *, is_package: bool) -> Iterator[str]:
    """Yield the full name of everything that a module's text imports, in functions and for type checking too."""
    here = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = here[: len(here) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            if base == "rtstone":  # `from rtstone import x` may name a part
                yield from (f"rtstone.{alias.name}" for alias in node.names)
            else:
                yield base


def python_violations(source: str, module: str, *, is_package: bool = False) -> list[str]:
    """Return each import of a module of rtstone that no arrow allows, as `from -> to (module)`."""
    if module == "rtstone":
        part, allowed = "rtstone", {"api", "version"}
    else:
        part = module.split(".")[1]
        if part not in PYTHON_ARROWS:
            return [f"{part}: this room has no arrows; say in tests/support/layering.py what it may import"]
        allowed = PYTHON_ARROWS[part] | {part, "errors", "version"}
    found = []
    for name in python_imports(source, module, is_package=is_package):
        top, _, rest = name.partition(".")
        if top == "rtstone":
            target = rest.split(".")[0]
            if target not in allowed:
                found.append(f"{part} -> {target or 'rtstone'} ({module})")
        elif part in PURE_IMPORTS and top not in PURE_IMPORTS[part]:
            found.append(f"{part} -> {top} ({module})")
    return found


def python_graph(package: Path) -> dict[str, set[str]]:
    """Each module of the package -> the modules of it that its text imports, wherever in it."""
    texts: dict[str, tuple[str, bool]] = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package.parent).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        texts[".".join(parts[:-1] if is_package else parts)] = (path.read_text(encoding="utf-8"), is_package)
    graph: dict[str, set[str]] = {}
    for module, (text, is_package) in texts.items():
        here = module.split(".") if is_package else module.split(".")[:-1]
        found: set[str] = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                start = here[: len(here) - node.level + 1] if node.level else []
                base = ".".join([*start, *([node.module] if node.module else [])])
                # What is no module of its own is a name that the package gives.
                found |= {name if (name := f"{base}.{alias.name}") in texts else base for alias in node.names}
        graph[module] = (found & texts.keys()) - {module}
    return graph


def circles(graph: dict[str, set[str]]) -> set[str]:
    """The modules that lie on a circle, or between two circles.

    Modules that import nothing, or that nothing imports, are removed until none remains; the rest is returned.
    """
    left = {module: set(imports) for module, imports in graph.items()}
    while True:
        imported = set().union(*left.values())
        ends = {module for module, imports in left.items() if not imports or module not in imported}
        if not ends:
            return set(left)
        left = {module: imports - ends for module, imports in left.items() if module not in ends}


# ---- C ---------------------------------------------------------------------------------------------------------------

# Headers of a freestanding compiler: C11, 4 paragraph 6, and those that GCC and Clang add.
FREESTANDING = {
    f"{name}.h"
    for name in ("stdatomic", "float", "limits", "stdalign", "stdarg", "stdbool", "stddef", "stdint", "stdnoreturn")
}

# Its four functions that a target without a C library carries itself: cmake/freestanding/string.h is all that the
# portable core is compiled with.
STRING = "string.h"

# Folder -> where its includes may be found, beside FREESTANDING: folders of the checkout, or PORT (the port's own
# rtstone_port.h), or STRING, or SYSTEM (the kernel's and the C library's headers). `ports/*` stands for each port by itself.
PORT, SYSTEM = "rtstone_port.h", "<system>"
# Headers that the probe shares with the engine: their interface, and the way both draw the load's intervals.
PROBE_HEADERS = (
    "probe/rtstone_probe.h",
    "probe/rtstone_traffic.h",
    "probe/bpf/rtstone_split.h",
    "probe/bpf/rtstone_attach.h",
)
C_ARROWS: dict[str, set[str]] = {
    "engine/include": {"engine/include", PORT},
    "engine/src": {"engine/include", "engine/src", STRING},
    "engine/absent": {"engine/include"},
    "engine/measurements": {"engine/include", "engine/measurements/common", "engine/measurements/registry.def", STRING},
    "engine/loads": {"engine/include", "engine/loads/registry.def", STRING},
    # The IOC's samplers are the engine's POSIX port and its chain of one interrupt; the port also runs in it.
    # The room of Linux knows no port: it is a part of every port that is built on Linux.
    "linux": {
        *("engine/include", "engine/measurements/common", "linux"),
        *(PORT, *PROBE_HEADERS, SYSTEM),
    },
    "ioc": {
        *("engine/include", "engine/measurements/common", "engine/src/histogram.h", "ioc", "linux", "ports/posix"),
        *(PORT, *PROBE_HEADERS, SYSTEM),
    },
    # Programs of the reader's own: they know nothing of rtstone.
    "examples/loop": {"examples/loop", SYSTEM},
    # One kernel by another of its interfaces: all but the objects is the other port's.
    "ports/rtems-pthread": {"engine/include", "boards/common/include", "ports/rtems", "ports/rtems-pthread", SYSTEM},
    # The same API inside an EPICS IOC, with the load of the IOC's clients.
    "ports/rtems-ioc": {"engine/include", "boards/common/include", "ports/rtems", "ports/rtems-ioc", "ioc", SYSTEM},
    "ports/*": {
        "engine/include",
        "engine/measurements/common",
        "boards/common/include",
        "probe/rtstone_traffic.h",
        "linux",
        "ports/*",
        SYSTEM,
    },
}

# The same for a room's folder tests/: the room itself, everything that the room may include, and the header with which
# every test begins. Of the port that it is linked with only engine/tests includes anything: the simulated port is those
# tests' own instrument.
CHECKS = "engine/tests/checks.h"
C_TEST_ARROWS: dict[str, set[str]] = {
    "engine": {"engine", "ports/simulated/include", SYSTEM},
    **{room: C_ARROWS[room] | {CHECKS, SYSTEM} for room in ("linux", "ioc", "ports/*")},
}

_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def _home(relative: str, arrows: dict[str, set[str]]) -> tuple[str, str] | None:
    """Return the key of the arrows that a file falls under, and its folder (of the port itself for `ports/*`)."""
    for folder in arrows:
        home = "/".join(relative.split("/")[:2]) if folder.endswith("/*") else folder
        if relative.startswith(f"{home}/") and home.startswith(folder.removesuffix("*")):
            return folder, home
    return None


def _include_folders(root: Path) -> list[Path]:
    """Return the folders of the checkout that some compiler call may look for headers in."""
    fixed = [root / "engine/include", root / "engine/src", root / "engine/measurements", root / "engine/loads"]
    return [*fixed, root / "linux", root / "linux/loads", *root.glob("ports/*/include"), *root.glob("boards/*/include")]


def c_violations(root: Path, path: Path) -> list[str]:
    """Return each #include of a C file that no arrow allows, as `folder -> header (file)`; `path` is below `root`."""
    relative = path.relative_to(root).as_posix()
    arrows = C_TEST_ARROWS if "tests" in relative.split("/")[:-1] else C_ARROWS
    found_home = _home(relative, arrows)
    if found_home is None:
        return [f"{relative}: this folder has no arrows; say in tests/support/layering.py what it may include"]
    folder, home = found_home
    allowed = arrows[folder]
    folders = [home if entry.endswith("/*") else entry for entry in allowed if entry not in (PORT, STRING, SYSTEM)]

    def is_allowed(header: str) -> bool:
        if header in FREESTANDING or (header in (PORT, STRING) and header in allowed):
            return True
        ours = [
            (base / header).resolve().relative_to(root)
            for base in (path.parent, root / home, *_include_folders(root))
            if (base / header).resolve().is_file() and (base / header).resolve().is_relative_to(root)
        ]
        if any(found.is_relative_to(entry) for found in ours for entry in folders):
            return True
        return not ours and SYSTEM in allowed  # no file of the checkout: the kernel's or the C library's

    includes = _INCLUDE.findall(path.read_text(encoding="utf-8"))
    folder += "/tests" if arrows is C_TEST_ARROWS else ""
    return [f"{folder} -> {header} ({relative})" for header in includes if not is_allowed(header)]
