# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands of another distribution: listed, run, and one line each for those that cannot be loaded."""

from __future__ import annotations

import re
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

from rtstone.cli import main

COMMANDS = """
from rtstone.cli import Command, Example

COMMANDS = (
    Command("greet", "Greet", "Greet somebody.", "guest_greeting", (Example("rtstone greet Ada", "a name"),)),
    Command("doctor greet", "Machine", "Greet the machine.", "guest_greeting_of_machines"),
    Command("run", "Measure", "Take the name of another command.", "guest_greeting"),
    Command("lost", "Greet", "Has no module.", "guest_that_is_lost"),
)
"""
GREETING = """
import typer

def register(app):
    app.command("greet")(greet)

def greet(name: str) -> None:
    "Greet somebody."
    typer.echo(f"good day, {name}")
"""


@pytest.fixture
def guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A distribution with commands, on the search path."""
    place = tmp_path / "site"
    about = place / "guest-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: guest\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[console_scripts]\nguest = guest:main\n\n# ours\n[rtstone.commands]\nguest = guest_commands:COMMANDS [extra]\n"
    )
    (place / "guest_commands.py").write_text(COMMANDS)
    (place / "guest_greeting.py").write_text(GREETING)
    monkeypatch.syspath_prepend(str(place))
    for name in ("guest_commands", "guest_greeting"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return about


def _run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(words)
    shown = capsys.readouterr()
    return int(ended.value.code or 0), shown.out, shown.err


@pytest.mark.usefixtures("guest")
def test_it_is_listed_run_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    code, shown, _ = _run(capsys, "--help")
    assert code == 0
    assert shown.index("\nMachine:\n") < shown.index("\nGreet:\n") < shown.index("\n  greet ")
    assert re.search(r"\n  run +Measure, show the results", shown)
    assert "guest_greeting" not in sys.modules
    assert _run(capsys, "greet", "Ada") == (0, "good day, Ada\n", "")
    assert "  rtstone greet Ada  a name\n" in _run(capsys, "greet", "--help")[1]
    assert re.search(r"\n +greet +Greet the machine\.\n", _run(capsys, "doctor", "--help")[1])


@pytest.mark.usefixtures("guest")
def test_a_command_without_its_module_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    line = "rtstone: the command 'lost' cannot be loaded: No module named 'guest_that_is_lost'\n"
    assert _run(capsys, "lost") == (3, "", line)


@pytest.mark.usefixtures("guest")
def test_a_taken_name_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    line = "rtstone: the command 'run' of 'guest' is left out: another command has this name\n"
    assert _run(capsys, "--help")[2] == line
    assert _run(capsys, "config")[2] == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import nothing_of_this_name", "No module named 'nothing_of_this_name'"),
        ("", "module 'guest_commands' has no attribute 'COMMANDS'"),
        ("raise ValueError('broken\\nhere')", "broken\\x0ahere"),
        ("COMMANDS = 7", "'int' object is not iterable"),
        ("COMMANDS = (('greet',),)", "no command: ('greet',)"),
    ],
)
def test_a_broken_plug_in_is_one_line_and_the_rest_works(
    guest: Path, capsys: pytest.CaptureFixture[str], text: str, reason: str
) -> None:
    (guest.parent / "guest_commands.py").write_text(text)
    line = f"rtstone: the commands of 'guest' cannot be loaded: {reason}\n"
    code, shown, told = _run(capsys, "--help")
    assert (code, told) == (0, line)
    assert "\n  run " in shown
    code, _, told = _run(capsys, "greet")
    assert (code, told.startswith(line), told.count("\n")) == (2, True, 2)
    assert _run(capsys, "list", "loads")[2] == ""


def test_of_two_distributions_of_one_name_the_first_counts(
    guest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    newer = tmp_path / "first" / "guest-2.0.dist-info"
    newer.mkdir(parents=True)
    (newer / "entry_points.txt").write_text("[rtstone.commands]\n")
    monkeypatch.syspath_prepend(str(newer.parent))
    assert "\nGreet:\n" not in _run(capsys, "--help")[1]
    assert guest.is_dir()


def test_the_guide_adds_a_command(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """docs/how-to/add-a-command.md, its files as they are printed."""
    page = (root / "docs" / "how-to" / "add-a-command.md").read_text(encoding="utf-8")
    blocks = [textwrap.dedent(text) for text in re.findall(r"^ +```\w+\n(.*?)^ +```$", page, re.MULTILINE | re.DOTALL)]
    assert len(blocks) == 3
    for text in blocks[:2]:
        path = tmp_path / text.partition("\n")[0].removeprefix("# ")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    (points,) = tomllib.loads(blocks[2])["project"]["entry-points"].items()
    about = tmp_path / "mypackage-1.dist-info"
    about.mkdir()
    lines = [f"{name} = {value}\n" for name, value in points[1].items()]
    (about / "entry_points.txt").write_text("".join([f"[{points[0]}]\n", *lines]))
    monkeypatch.syspath_prepend(str(tmp_path))
    assert _run(capsys, "greet", "Ada") == (0, "good day, Ada\n", "")
    assert re.search(r"\n  greet +Greet somebody\.\n", _run(capsys, "--help")[1])
