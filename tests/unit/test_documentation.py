# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands in the documentation exist, its check files are valid, and the repository's links become the site's."""

from __future__ import annotations

import fnmatch
import importlib.util
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rtstone import __version__
from rtstone.cli import _manual, _renamed
from rtstone.judge import check

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = sorted(
    path
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "ports/*/README.md",
        "boards/*/README.md",
        "examples/*/README.md",
        "probe/README.md",
        "ioc/README.md",
    )
    for path in ROOT.glob(pattern)
)
COMMANDS = {page.words[1:]: page for page in _manual.pages()}

KNOWN = check.Known(
    quantities={
        "interrupt-response": ("interrupt-service-response", "interrupt-task-response", "context-switch-delay"),
        "semaphore-ping": ("semaphore-ping",),
        "attach": ("response-loop", "response-myloop"),
    },
    passes={"interrupt-response": ("single",), "semaphore-ping": ("single", "batch")},
    studies={},
    loads=("none", "cpu", "fork"),
)

# In code alone: `rtstone run --study sscl`, or a line that begins with four spaces or a prompt.
_SPAN = re.compile(r"`(rtstone [^`]+)`")
_LINE = re.compile(
    r"^(?: {4}|- run: )\s*(?:- run: )?(?:\$ )?(?:nice \S+ )?(?:\.venv/bin/)?(rtstone [a-z-]+.*)$", re.MULTILINE
)
_OPTION = re.compile(r"(?<!\S)(--[a-z][a-z-]*|-[a-z])(?=[\s=,;]|$)")


def _typed(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    yield from _SPAN.findall(text)
    for line in _LINE.findall(text):
        yield re.split(r"\s{3,}|\s#\s|; echo", line)[0]


def _page(words: list[str]) -> Any:
    """The page of the longest command that the words begin with; None where they name none."""
    for length in (2, 1):
        if tuple(words[:length]) in COMMANDS:
            return COMMANDS[tuple(words[:length])]
    return None


def _cases() -> list[tuple[str, str]]:
    return [(str(path.relative_to(ROOT)), typed) for path in WRITTEN for typed in _typed(path)]


def test_every_page_is_in_the_list_of_its_folder() -> None:
    for folder in ("docs/how-to", "docs/decisions", "spec"):
        listed = (ROOT / folder / "README.md").read_text(encoding="utf-8")
        for page in (ROOT / folder).glob("*.md"):
            assert page.name == "README.md" or f"]({page.name})" in listed, (
                f"{folder}/README.md does not list {page.name}"
            )


def test_the_page_on_installing_names_every_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs/tutorial/install.md").read_text(encoding="utf-8")
    named = re.findall(r"`\[(\w+)\]`", "".join(line.split("|")[1] for line in page.splitlines() if line[:4] == "| `["))
    assert sorted(named) == sorted(project["optional-dependencies"])


def test_one_version_is_stated_everywhere() -> None:
    """By the package, the engine, the module and DKMS, the page that installs it, CITATION.cff, and the newest release in CHANGELOG."""
    stated = {
        "engine/include/rtstone/engine.h": r'RTS_ENGINE_VERSION "(.+)"',
        "probe/main.c": r'MODULE_VERSION\("(.+)"\)',
        "probe/dkms.conf": r"rtstone-probe[-/]([0-9.]+[0-9])|PACKAGE_VERSION=\"(.+)\"",
        "docs/how-to/install-the-module.md": r"rtstone-probe[-/]([0-9.]+[0-9])",
        "docs/tutorial/install.md": r"rtstone[-_]([0-9.]+[0-9])",
        "CITATION.cff": r"^version: (.+)$",
        "CHANGELOG.md": r"\A(?s:.*?)^## \[([0-9.]+)\] - \d{4}-\d\d-\d\d$",
    }
    for name, form in stated.items():
        found = re.findall(form, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        versions = {"".join(one) for one in found}
        assert versions == {__version__}, f"{name} states {versions}, src/rtstone/version.py {__version__}"


def test_there_is_something_to_look_at() -> None:
    assert len(_cases()) > 100
    assert {name for name, _ in _cases()} >= {"README.md", "docs/tutorial/README.md", "docs/how-to/gate-in-ci.md"}


@pytest.mark.parametrize("name", sorted({name for name, _ in _cases()}))
def test_every_command_and_option_that_a_page_tells_to_type_exists(name: str) -> None:
    for page, typed in _cases():
        if page != name:
            continue
        words = typed.split()[1:]
        if not re.fullmatch(r"[a-z-]+", words[0]) or words[0].startswith("-"):
            continue  # `rtstone COMMAND --help`, `rtstone --version`
        if name == "CHANGELOG.md":  # earlier releases name what they had
            words = _renamed.of_today(words)[0]
        found = _page(words)
        assert found is not None, f"{name}: there is no command '{typed}'"
        there = {word.strip(",") for entry in found.options for word in entry.term.split() if word.startswith("-")}
        for option in _OPTION.findall(" ".join(words[len(found.words) - 1 :])):
            assert option in there, f"{name}: '{typed}': {found.name} has no option {option}"


@pytest.mark.parametrize(
    "name", ["docs/tutorial/README.md", "docs/how-to/gate-in-ci.md", "docs/how-to/my-loop-is-late.md"]
)
def test_check_files_that_are_shown_are_valid(name: str, tmp_path: Path) -> None:
    blocks = re.findall(r"```toml\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL)
    files = [block for block in blocks if 'schema = "rtstone.check"' in block]
    assert files
    for text in files:
        read = check.parse(text, "gate.toml", tmp_path, KNOWN)
        assert read.bounds
        attached = {bound.selection.measurement for bound in read.bounds} == {"attach"}
        assert (read.file.measure is None) == attached, "check --measure does not attach to a program"


_CODE_ROOMS = ("src", "engine", "linux", "ports", "probe", "boards", "ioc", "tools", "tests")
_FILE = re.compile(
    r"\.(?:py|c|h|md|toml|rs|S|ld|txt|j2|conf|config|cmake|def|js|css|json|db|dbd|cmd|acf|bob|proto|mk|yml)$"
)
# Files of somebody else's tree, of an exported one, or that a user writes: named by a page, not ours to have.
_ELSEWHERE = {
    "engine/export/README.md": {
        "port/",
        "main.c",
        "include/rtstone_port.h",
        "freestanding/string.h",
        "scripts/zephyr_module.py",
    },
    "ports/rtems-ioc/README.md": {"softIoc.dbd", "dbd/softIoc.dbd", "rtems_config.c"},
    "ports/threadx/README.md": {"include/tx_api.h", "include/tx_port.h", "include/tx_user.h"},
    "tests/README.md": {"build/"},
    "tests/data/imports/README.md": {"results.json"},
}


def _files() -> frozenset[str]:
    """Every file of those folders, from the repository's root; builds and caches are left out."""
    return frozenset(
        str(path.relative_to(ROOT))
        for room in _CODE_ROOMS
        for path in (ROOT / room).rglob("*")
        if path.is_file() and not {"__pycache__", "build"} & set(path.parts)
    )


def _readmes() -> list[str]:
    return [
        name for name in sorted(_files()) if Path(name).name == "README.md" and name.partition("/")[0] in _CODE_ROOMS
    ]


def _names_of_files(text: str) -> set[str]:
    """The files and folders that a page names: code spans that end like one. Indented code is an example."""
    lines = [line for line in text.splitlines() if not line.startswith("    ")]
    spans = re.findall(r"`([^`\s]+)`", "\n".join(lines))
    return {
        span
        for span in spans
        if not re.search(r"[<>(){}$=:|,]", span)
        and not span.startswith(("-", "/", "~", "."))
        and (span.endswith("/") or _FILE.search(span))
    }


def test_a_readme_of_a_folder_names_only_what_exists() -> None:
    """A name is looked for in the page's folder and those above it, and as the end of a path below the page's folder."""
    files = _files()
    there = files | {str(parent) for name in files for parent in Path(name).parents}
    missing: list[str] = []
    seen = 0
    for page in _readmes():
        here = Path(page).parent
        below = [name for name in there if Path(name).is_relative_to(here)]
        for name in _names_of_files((ROOT / page).read_text(encoding="utf-8")) - _ELSEWHERE.get(page, set()):
            seen += 1
            wanted = name.rstrip("/")
            beside = any(next((ROOT / folder).glob(wanted), None) for folder in (here, *here.parents))
            if not beside and not any(fnmatch.fnmatchcase(file, f"*/{wanted}") for file in below):
                missing.append(f"{page}: {name}")
    assert not missing, "\n".join(missing)
    assert seen > 300, "where are the pages?"


def test_the_readmes_of_the_host_leave_no_file_out() -> None:
    """Each folder of src/rtstone with two modules has a page, which names each module, or the pattern that the others follow."""
    omitted: list[str] = []
    files = [Path(name) for name in _files() if name.startswith("src/rtstone/") and name.endswith(".py")]
    for folder in sorted({file.parent for file in files}):
        modules = [file.name for file in files if file.parent == folder and file.name != "__init__.py"]
        page = ROOT / folder / "README.md"
        if not page.exists():
            page = ROOT / folder.parent / "README.md"  # `versions/` of migrations, `checks/` of the doctor
            if f"`{folder.name}/`" not in page.read_text(encoding="utf-8"):
                omitted.append(f"{folder} has no README.md")
            continue
        named = re.findall(r"`([^`\s]+\.py)`", page.read_text(encoding="utf-8"))
        omitted += [
            f"{folder}/README.md leaves {module} out"
            for module in modules
            if not any(fnmatch.fnmatchcase(module, name) for name in named)
        ]
    assert not omitted, "\n".join(omitted)


@pytest.fixture(scope="module")
def site() -> Any:
    """docs/site/conf.py as Sphinx loads it."""
    spec = importlib.util.spec_from_file_location("documentation_conf", ROOT / "docs/site/conf.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("page", "written", "becomes"),
    [
        ("README", "see [engine/](engine).", "see [engine/](engine/README.md)."),
        ("docs/how-to/x", "[the ports](../../ports/)", "[the ports](../../ports/README.md)"),
        ("README", "[SUPPORTED.md](SUPPORTED.md)", "[SUPPORTED.md](SUPPORTED.md)"),
        ("README", "[docs/images/](docs/images), [a](SECURITY.md#b)", "docs/images/, [a](SECURITY.md#b)"),
        ("docs/x/y", "[its code](../../tools/lock)", "its code (`tools/lock`)"),
        ("README", "[nowhere](no/such.md)", "[nowhere](no/such.md)"),
        ("README", "![a plot](docs/images/x.png) [out](https://example.org/)", None),
        ("README", "    cat [a](engine)\n", None),
        ("README", "```\n[a](engine)\n```\n[b](engine)\n", "```\n[a](engine)\n```\n[b](engine/README.md)\n"),
    ],
)
def test_links_of_the_repository_become_links_of_the_site(
    site: Any, page: str, written: str, becomes: str | None
) -> None:
    source = [written]
    site._links(SimpleNamespace(), page, source)
    assert source[0] == (written if becomes is None else becomes)


def test_capabilities_that_are_advised_anywhere_are_in_the_page_on_security() -> None:
    advised: dict[str, set[str]] = {}
    folders = ("src", "engine", "linux", "ports", "ioc", "docs", "probe", "bench")
    for path in (ROOT / "SECURITY.md", ROOT / "README.md", *(p for name in folders for p in (ROOT / name).rglob("*"))):
        if path.suffix in {".py", ".c", ".h", ".md"} and "tests" not in path.parts:
            for said, flags in re.findall(r"setcap (cap_[a-z_,]+)(\S*)", path.read_text(encoding="utf-8")):
                advised.setdefault(said, set()).add(path.name)
                assert flags == "+p", f"{path.name}: with {flags} it does not start where a container refuses them"
    assert len(advised) >= 3, "where is the advice?"
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    for said, names in advised.items():
        for capability in said.split(","):
            assert f"`{capability}`" in page, (capability, names)
