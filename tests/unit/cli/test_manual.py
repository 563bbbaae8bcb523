# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The manual has every command, option and argument that the commands define, and nothing in it is taken for markup."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from rtstone.cli import _manual, manual
from rtstone.cli._app import build, commands


def _defined(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    yield "-".join(word.strip("-") for word in words), command
    for name, under in getattr(command, "commands", {}).items():
        if not under.hidden:
            yield from _defined(under, (*words, *name.split()))


DEFINED = dict(_defined(typer.main.get_command(build()), ("rtstone",)))
PAGES = {page.name: page for page in _manual.pages()}


def _plain(roff: str) -> str:
    return roff.replace("\\-", "-").replace("\\(aq", "'").replace("\\(ga", "`").replace("\\e", "\\").replace("\\&", "")


def test_every_command_has_its_page_and_no_page_is_of_another() -> None:
    assert set(PAGES) == set(DEFINED)
    assert {_manual.page_name(("rtstone", name)) for name in commands()} <= set(PAGES)
    assert [entry.term for entry in PAGES["rtstone"].commands] == list(DEFINED["rtstone"].commands)


@pytest.mark.parametrize("name", sorted(DEFINED))
def test_every_option_and_argument_is_in_the_page_in_both_forms(name: str) -> None:
    troff, markdown = _plain(_manual.man(PAGES[name], "1.2.3")), _manual.markdown(PAGES[name])
    bold = "\n".join(line[3:] for line in troff.splitlines() if line.startswith(".B "))
    for one in DEFINED[name].params:
        if one.hidden:
            continue
        words = (
            [*one.opts, *one.secondary_opts] if one.param_type_name == "option" else [one.metavar or one.name.upper()]
        )
        for word in words:
            assert word.lower() in bold.lower(), f"{word} is missing from the man page"
            assert word.lower() in markdown.lower(), f"{word} is missing from the reference"


@pytest.mark.parametrize("name", sorted(DEFINED))
def test_no_line_of_text_is_a_request_to_troff(name: str) -> None:
    known = (".TH ", ".SH ", ".PP", ".TP", ".B ")
    for line in _manual.man(PAGES[name], "1.2.3").splitlines():
        assert line
        assert not line.startswith("'")
        assert not line.startswith(" ")
        assert not line.startswith(".") or line.startswith(known), line


def test_exit_codes_are_entries_with_their_own_text() -> None:
    codes = {entry.term: entry.text for entry in PAGES["rtstone-check"].exit_codes}
    assert list(codes) == ["0", "1", "2", "3", "4"]
    assert codes["1"].startswith("a bound is exceeded")
    for name, inconclusive in (
        (
            "rtstone-compare",
            "the sides have no figure in common; with --fail-on-regression also: nothing could be judged",
        ),
        ("rtstone-history", "nothing could be judged"),
    ):
        both = {entry.term: entry.text for entry in PAGES[name].exit_codes}
        assert list(both) == ["0", "1", "2", "3", "4"]
        assert both["1"] == "regressed (only with --fail-on-regression)"
        assert both["4"].startswith(inconclusive)
    assert {entry.term for entry in PAGES["rtstone-run"].exit_codes} == {"0", "2", "3", "4", "130"}


def test_what_is_not_ascii_is_named_by_its_number() -> None:
    text = _manual.man(_manual.Page(words=("rtstone",), usage="rtstone", summary="in µs …"), "1")
    assert text.isascii()
    assert "in \\[u00B5]s \\[u2026]" in text


def test_markup_in_a_text_is_text() -> None:
    page = _manual.Page(words=("rtstone",), usage="rtstone", summary=".so a|b *c* [d] `e_f` \\n 'g'")
    assert ".so" not in [line[:3] for line in _manual.man(page, "1").splitlines()]
    assert "\\en" in _manual.man(page, "1")
    assert "\\*c\\* \\[d\\] `e_f` \\\\n" in _manual.markdown(page)


def _run(*arguments: str) -> Any:
    app = typer.Typer()
    app.callback()(lambda: None)
    manual.register(app)
    return CliRunner().invoke(app, ["manual", *arguments])


@pytest.mark.parametrize(("form", "end"), sorted(manual.FORMATS.items()))
def test_the_command_writes_a_file_for_each_page(tmp_path: Path, form: str, end: str) -> None:
    done = _run("-o", str(tmp_path / "new" / "folder"), "--format", form)
    assert done.exit_code == 0, done.output
    written = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "new" / "folder").iterdir()}
    assert set(written) == {f"{name}.{end}" for name in PAGES}
    assert re.match(r"\d+ pages in ", done.stdout)
    assert all(text.endswith("\n") for text in written.values())


def test_an_unknown_format_and_a_folder_that_cannot_be_made_are_refused(tmp_path: Path) -> None:
    assert "there is: man, markdown" in str(_run("-o", str(tmp_path), "--format", "pdf").exception)
    (tmp_path / "file").write_text("")
    assert "file" in str(_run("-o", str(tmp_path / "file")).exception)


def test_list_of_commands_has_their_own_first_sentences() -> None:
    """The list is written without loading a command, so it holds their summaries once more."""
    pages = [_manual.page_name(("rtstone", name)) for name in commands()]
    assert pages == [name for name in DEFINED if name in pages]
    for name, summary in ((one.name, one.summary) for one in commands().values()):
        assert summary == DEFINED[_manual.page_name(("rtstone", name))].get_short_help_str(limit=500)
