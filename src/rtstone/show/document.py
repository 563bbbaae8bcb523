# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A document of sentences and tables, made from a verdict, and a renderer for each form. Renderers know no verdicts."""

from __future__ import annotations

import csv
import html
import io
import textwrap
from collections.abc import Callable, Iterator
from typing import Literal

import msgspec

from rtstone.model.text import neutral, printable
from rtstone.show.exporters.latex import escaped as latex
from rtstone.show.tables import markdown_row, markdown_text

Form = Literal["text", "markdown", "html", "csv", "latex"]


class DocumentTable(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of text under headings; every row has one cell for each column."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()
    """Positions of the columns of figures, which are aligned to the right."""


class TextDocument(msgspec.Struct, frozen=True, kw_only=True):
    """Sentences and tables in the order in which they are read."""

    title: str
    parts: tuple[str | DocumentTable, ...]


def render(document: TextDocument, form: Form, width: int | None = None) -> bytes:
    """The document as a file in UTF-8, without characters that control a terminal.

    Text has tabs between cells, and sentences folded at `width` characters (None: not folded). CSV has the tables alone.
    """
    return neutral("".join(f"{line}\n" for line in _RENDERERS[form](document, width))).encode()


def _text(document: TextDocument, width: int | None) -> Iterator[str]:
    for part in document.parts:
        if isinstance(part, DocumentTable):
            for row in (part.columns, *part.rows):
                yield "\t".join(map(printable, row))
        elif width is None:
            yield printable(part)
        else:
            yield from textwrap.wrap(printable(part), width)


def _markdown(document: TextDocument, _: int | None) -> Iterator[str]:
    yield f"## {markdown_text(document.title)}"
    for part in document.parts:
        yield ""
        if isinstance(part, DocumentTable):
            yield markdown_row(part.columns)
            yield "|" + "|".join("-:" if i in part.right else "-" for i in range(len(part.columns))) + "|"
            yield from map(markdown_row, part.rows)
        else:
            yield markdown_text(part)


_STYLE = (
    ":root { color-scheme: light dark } body { font: 16px/1.4 sans-serif; margin: 1.5em auto; max-width: 75em; padding: 0 1em } "
    "table { border-collapse: collapse; display: block; overflow-x: auto } th, td { padding: .2em .6em; text-align: left } "
    "td { border-top: 1px solid #8888 } .n { text-align: right; white-space: nowrap }"
)


def _html(document: TextDocument, _: int | None) -> Iterator[str]:
    title = html.escape(document.title)
    yield '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{title}</title><style>{_STYLE}</style></head>\n<body><h1>{title}</h1>"
    for part in document.parts:
        if not isinstance(part, DocumentTable):
            yield f"<p>{html.escape(part)}</p>"
            continue
        kinds = [' class="n"' if i in part.right else "" for i in range(len(part.columns))]
        heads = (
            f'<th scope="col"{kind}>{html.escape(name)}</th>' for name, kind in zip(part.columns, kinds, strict=True)
        )
        yield f"<table><thead><tr>{''.join(heads)}</tr></thead><tbody>"
        for row in part.rows:
            cells = (f"<td{kind}>{html.escape(cell)}</td>" for cell, kind in zip(row, kinds, strict=True))
            yield f"<tr>{''.join(cells)}</tr>"
        yield "</tbody></table>"
    yield "</body></html>"


def _csv(document: TextDocument, _: int | None) -> Iterator[str]:
    for part in document.parts:
        if isinstance(part, DocumentTable):
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerows((part.columns, *part.rows))
            yield text.getvalue().removesuffix("\n")


def _latex(document: TextDocument, _: int | None) -> Iterator[str]:
    yield rf"\paragraph{{{latex(document.title)}}}"
    for part in document.parts:
        if not isinstance(part, DocumentTable):
            yield rf"{latex(part)}\par"
            continue
        yield rf"\begin{{tabular}}{{{''.join('r' if i in part.right else 'l' for i in range(len(part.columns)))}}}"
        yield r"\toprule"
        yield " & ".join(map(latex, part.columns)) + r" \\"
        yield r"\midrule"
        for row in part.rows:
            yield " & ".join(map(latex, row)) + r" \\"
        yield "\\bottomrule\n\\end{tabular}\\par"


_RENDERERS: dict[Form, Callable[[TextDocument, int | None], Iterator[str]]] = {
    "text": _text,
    "markdown": _markdown,
    "html": _html,
    "csv": _csv,
    "latex": _latex,
}
FORMS: tuple[Form, ...] = tuple(_RENDERERS)
"""The names of the forms, the usual one first."""
