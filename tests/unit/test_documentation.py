# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What the documentation tells to type exists, its check files are valid, and links of the repository become links of the site."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rtstone import __version__
from rtstone.cli import _manual
from rtstone.judge import check

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = sorted(
    path
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "ports/*/README.md",
        "boards/*/README.md",
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


def test_one_version_is_stated_everywhere() -> None:
    """By the package, the engine, the module and DKMS, the page that installs it, and the newest release of the CHANGELOG."""
    stated = {
        "engine/include/rtstone/engine.h": r'RTS_ENGINE_VERSION "(.+)"',
        "probe/main.c": r'MODULE_VERSION\("(.+)"\)',
        "probe/dkms.conf": r"rtstone-probe[-/]([0-9.]+[0-9])|PACKAGE_VERSION=\"(.+)\"",
        "docs/how-to/install-the-module.md": r"rtstone-probe[-/]([0-9.]+[0-9])",
        "docs/tutorial/install.md": r"rtstone[-_]([0-9.]+[0-9])",
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
        found = _page(words)
        assert found is not None, f"{name}: there is no command '{typed}'"
        there = {word.strip(",") for entry in found.options for word in entry.term.split() if word.startswith("-")}
        for option in _OPTION.findall(typed):
            assert option in there, f"{name}: '{typed}': {found.name} has no option {option}"


@pytest.mark.parametrize("name", ["docs/tutorial/README.md", "docs/how-to/gate-in-ci.md"])
def test_check_files_that_are_shown_are_valid(name: str, tmp_path: Path) -> None:
    blocks = re.findall(r"```toml\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL)
    files = [block for block in blocks if 'schema = "rtstone.check"' in block]
    assert files
    for text in files:
        read = check.parse(text, "gate.toml", tmp_path, KNOWN)
        assert read.bounds
        assert read.file.measure is not None


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
