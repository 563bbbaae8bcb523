# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Help ends with examples. Each parses, and each that needs no machine works as described on saved runs."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer

from rtstone.archive import default_path, open_archive
from rtstone.cli import _app, _manual, main
from rtstone.cli import _session as session
from rtstone.cli._app import HELP_WIDTH, build, commands, examples, groups
from rtstone.cli._commands import GROUPS
from rtstone.cli._examples import EXAMPLES as OWN
from rtstone.show.exporters import named
from rtstone.show.report import _bundle
from support.measured import run_for

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = OWN | {name: examples(name) for name in commands()}
LINES = [(words, one.line) for words, examples in EXAMPLES.items() for one in examples]
MEASURE = (
    "measure-all",
    "watch",
    "attach",
    "bound",
    "explain",
    "tune",
    "boards accept",
    "boards verify",
    "ioc",
    "peer",
    "stimulus",
    "doctor clocks",
    "serve",
)
"""Commands that always need a machine, an emulator or a network, or that end only on request.

`archive grant` needs a server. The examples of these commands are only parsed."""


def _needs_a_machine(line: str) -> bool:
    words = line.split()
    return (
        words[1] in MEASURE
        or " ".join(words[1:3]) in MEASURE
        or "ssh:" in line
        or words[1:3] == ["archive", "grant"]
        or "--measure" in words
        or "--build" in words
        or (words[1] == "fit" and "last" not in words)
    )


def _typed(line: str) -> list[str]:
    """The words behind `rtstone`, without what a shell does with the output."""
    return shlex.split(line.partition(" >")[0])[1:]


def _below(command: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield words, command
    for name, under in getattr(command, "commands", {}).items():
        if not under.hidden:
            yield from _below(under, (*words, *name.split()))


COMMANDS = dict(_below(typer.main.get_command(build()), ()))


def _context(words: list[str]) -> Any:
    """The context of the command that the words name, with all its parameters parsed. Raises what click finds wrong."""
    command, context = COMMANDS[()], None
    while True:
        context = command.make_context("rtstone", list(words), parent=context)
        if not hasattr(command, "commands"):
            return context
        _, command, words = command.resolve_command(context, [*context._protected_args, *context.args])


def test_every_command_has_two_or_three_examples() -> None:
    assert set(EXAMPLES) == {" ".join(words) for words in COMMANDS if words}
    for words, some in EXAMPLES.items():
        assert 2 <= len(some) <= 3, words
        for one in some:
            assert one.line.startswith(f"rtstone {words}"), one.line
            assert len(one.line) < HELP_WIDTH
            assert one.what == one.what.strip().rstrip(".")


@pytest.mark.parametrize(("words", "line"), LINES)
def test_each_parses(words: str, line: str) -> None:
    assert _context(_typed(line)).command is COMMANDS[tuple(words.split())] or words == "archive"


@pytest.mark.parametrize("words", sorted(EXAMPLES))
def test_help_ends_with_them_as_they_are_typed(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main((*words.split(), "--help"))
    shown = capsys.readouterr().out
    end = shown[shown.index("Examples:") :]
    for one in EXAMPLES[words]:
        assert f"  {one.line}" in end
        assert one.what in end
    assert max(map(len, shown.splitlines())) <= 80


def test_help_is_in_groups(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(("--help",))
    shown = capsys.readouterr().out
    assert list(GROUPS) == ["Measure", "Look", "Judge", "Boards and IOC", "Archive", "Machine"]
    places = [shown.index(f"\n{group}:\n") for group in GROUPS]
    assert places == sorted(places)
    assert list(groups()) == list(GROUPS)
    first = [name for name in commands() if " " not in name]
    assert len(first) <= 26, "more than a screen of commands"
    listed = [line.split()[0] for line in shown[places[0] :].splitlines() if re.match(r"  [a-z]", line)]
    assert listed == first
    columns = {line.index(one.summary.split()[0], 13) for name, one in commands().items()
               for line in shown.splitlines() if line.startswith(f"  {name} ")}  # fmt: skip
    assert len(columns) == 1, "the groups' summaries stand in one column"


@pytest.fixture(scope="module")
def archive_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with the runs that examples name."""
    place = tmp_path_factory.mktemp("archive") / "archive.sqlite"
    run = run_for("sscl")
    for number, label in enumerate(("A1", "A2", "A3", "B1", "B2", "B3", "before", "after")):
        open_archive(str(place)).save(msgspec.structs.replace(run, id=f"run-{number}", label=label), [b"~0 a\n"])
    return place


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, archive_file: Path) -> None:
    """A folder with the files that examples name, and the archive of their runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_bundle, "script", lambda: "window.vegaEmbed = null;")
    default_path().parent.mkdir(parents=True)
    for place in (default_path(), Path("lab.sqlite")):
        shutil.copy(archive_file, place)
    for name in ("first.json", "second.json"):
        shutil.copy(ROOT / "tests/data/imports/oslat.json", name)
    shutil.copy(ROOT / "tests/data/imports/cyclictest.json", "cyclictest.json")
    Path("run.json").write_bytes(named("json").write([msgspec.structs.replace(run_for("sscl"), id="elsewhere")]))
    Path("gate.toml").write_text(
        'schema = "rtstone.check"\nversion = "1.0"\n[[bound]]\nmeasurement = "interrupt-response"\n'
        'quantity = "interrupt-task-response"\nrequire = ["max < 1s"]\n'
    )


@pytest.mark.parametrize("line", [line for _, line in LINES if not _needs_a_machine(line) and line.split()[1] != "run"])
@pytest.mark.usefixtures("kept")
def test_each_that_needs_no_machine_does_it(
    line: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_app.sys.stdin, "isatty", lambda: True, raising=False)  # type: ignore[attr-defined]
    monkeypatch.setattr(typer, "confirm", lambda *_, **__: True)
    with pytest.raises(SystemExit) as ended:
        main(_typed(line))
    said = capfd.readouterr()
    # A judgement may go either way on runs that were made up, and this machine be as it is; nothing else may fail.
    may = {0, 1, 4} if line.split()[1] in {"compare", "history", "check", "fit", "doctor"} else {0}
    assert ended.value.code in may, said.err
    assert said.out or Path("charts").is_dir() or list(Path().glob("*.csv")) or len(list(Path().glob("*.json"))) > 3


@pytest.mark.parametrize("line", [line for _, line in LINES if line.startswith("rtstone run ")])
def test_what_run_is_asked_for_makes_a_request(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(session, "measure_and_show", lambda job, wishes: asked.append(job))
    with pytest.raises(SystemExit) as ended:
        main(_typed(line))
    assert ended.value.code == 0
    (job,) = asked
    assert job.request.studies or job.request.measurements
    assert job.targets


def test_the_pages_have_them() -> None:
    for page in _manual.pages():
        assert page.examples == EXAMPLES.get(" ".join(page.words[1:]), ())
        for one in page.examples:
            assert one.line in _manual.markdown(page)
            assert one.line.replace("-", "\\-").split()[0] in _manual.man(page, "1")


def test_the_reference_in_the_repository_is_current() -> None:
    """`python -m rtstone.cli._manual > docs/reference/cli.md` makes the page."""
    assert (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8") == _manual.reference(_manual.pages())
