# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A verdict in every form: the same cells and sentences, and nothing of a target becomes markup. Costs 3 s."""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone.archive import open_archive
from rtstone.cli import main
from rtstone.cli._app import commands
from rtstone.show.document import FORMS, DocumentTable, Form, TextDocument, render
from support.runs import make_result, make_run

HOSTILE = "<b>&amp; \\x{y}|*z*\t`a` 100 %\x1b[31m\u202e"
TABLE = DocumentTable(columns=("what", "figure"), rows=(("plain", "1.5 µs"), (HOSTILE, "2 µs")), right=frozenset({1}))
DOCUMENT = TextDocument(title=HOSTILE, parts=("Before.", TABLE, f"After {HOSTILE}."))


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.tags: set[str] = set()
        self._open = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self._open = tag
        if tag == "td":
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self._open == "td":
            self.cells[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self._open = ""


def _lines(form: Form, document: TextDocument = DOCUMENT, width: int | None = None) -> list[str]:
    return render(document, form, width).decode().splitlines()


@pytest.mark.parametrize("form", FORMS)
def test_no_form_has_what_a_terminal_obeys(form: Form) -> None:
    data = render(DOCUMENT, form)
    assert b"\x1b" not in data
    assert "\u202e".encode() not in data
    assert data.endswith(b"\n")
    assert data.count(b"1.5 ") == 1


def test_text_has_tabs_between_cells_and_folds_sentences_alone() -> None:
    lines = _lines("text", width=20)
    assert lines[:3] == ["Before.", "what\tfigure", "plain\t1.5 µs"]
    assert lines[3].count("\t") == 1
    assert all(len(line) <= 20 for line in lines[4:])


def test_csv_is_read_back() -> None:
    rows = list(csv.reader(io.StringIO(render(DOCUMENT, "csv").decode())))
    assert rows[:2] == [["what", "figure"], ["plain", "1.5 µs"]]
    assert rows[2][0] == HOSTILE.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e")


def test_html_has_each_cell_as_text() -> None:
    page = _Page()
    page.feed(render(DOCUMENT, "html").decode())
    assert page.cells[2] == HOSTILE.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e")
    assert not page.tags & {"b", "script"}


def test_markdown_and_latex_escape_what_is_markup() -> None:
    markdown = _lines("markdown")
    assert "|-|-:|" in markdown
    assert r"\<b\>" in "\n".join(markdown)
    assert [line.count("|") - line.count(r"\|") for line in markdown if line.startswith("| ")] == [3, 3, 3]
    latex = "\n".join(_lines("latex"))
    assert r"\begin{tabular}{lr}" in latex
    assert r"100 \%" in latex
    assert latex.count(r"\\") == 3  # one a row: no text ends a row


@given(st.lists(st.tuples(st.text(), st.text()), max_size=5), st.text())
def test_any_text_goes_into_every_form(rows: list[tuple[str, str]], sentence: str) -> None:
    safe = [tuple(cell.encode("utf-8", "replace").decode() for cell in row) for row in rows]
    table = DocumentTable(columns=("a", "b"), rows=tuple(safe))
    document = TextDocument(title="t", parts=(sentence.encode("utf-8", "replace").decode(), table))
    for form in FORMS:
        assert render(document, form, 40)


GATE = 'schema = "rtstone.check"\nversion = "1.0"\n[[bound]]\nmeasurement = "semaphore-ping"\nrequire = ["max < 1us"]\n'
COMMANDS = {
    "check": ("check", "gate.toml", "r-1"),
    "fit": ("fit", "--period", "1ms", "--deadline", "1ms", "r-1"),
    "tails": ("fit", "--tail", "r-1"),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS.keys())
def test_a_verdict_has_every_form_and_the_same_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gate.toml").write_text(GATE)
    open_archive().save(make_run("r-1", results=(make_result(count=500),)))
    codes, texts = set(), {}
    for form in (None, *FORMS):
        with pytest.raises(SystemExit) as ended:
            main([*words, *(("--format", form) if form else ())])
        codes.add(ended.value.code)
        texts[form] = capfdbinary.readouterr().out.decode()
    assert len(codes) == 1
    assert texts[None] == texts["text"]
    table = [line.split("\t") for line in texts["text"].splitlines() if "\t" in line]
    assert list(csv.reader(io.StringIO(texts["csv"]))) == table
    assert all(cell in texts["html"] for cell in table[0])
    assert texts["markdown"].startswith("## rtstone ")
    assert texts["latex"].startswith(r"\paragraph{rtstone ")


WITH_FORMS = COMMANDS | {name: words for name, words in {"tune": ("tune", "no.toml")}.items() if name in commands()}


@pytest.mark.parametrize("words", WITH_FORMS.values(), ids=WITH_FORMS)
def test_an_unknown_form_is_refused_before_anything_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main([*words, "--format", "markdwon"])
    assert ended.value.code == 2
    assert "unknown format 'markdwon'. Did you mean 'markdown'?" in capfd.readouterr().err
