# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The papers' tables as LaTeX (booktabs), each a table environment with caption, label and its notes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rtstone.model import Run
from rtstone.show.exporters._model import Exporter
from rtstone.show.tables import Cell, Column, TableView, views

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "µ": r"\textmu{}",
    "σ": r"$\sigma$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "−": r"$-$",
    "→": r"$\rightarrow$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "…": r"\dots{}",
    "–": "--",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "*": r"$\ast$",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
_PREAMBLE = r"% Needs \usepackage[T1]{fontenc}, \usepackage{textcomp} and \usepackage{booktabs}."


def _write(runs: Sequence[Run]) -> bytes:
    lines = [_PREAMBLE]
    labels: dict[str, int] = {}
    for view in views(runs):
        for table in view.tables:
            label = re.sub(r"[^a-z0-9]+", "-", f"{table.study} {table.number} {table.kind}".lower()).strip("-")
            labels[label] = labels.get(label, 0) + 1
            lines += ["", *_table(table, label if labels[label] == 1 else f"{label}-{labels[label]}")]
    return ("\n".join(lines) + "\n").encode()


def _table(view: TableView, label: str) -> Iterator[str]:
    columns = len(view.columns)
    yield r"\begin{table}[htbp]"
    yield r"\centering"
    yield rf"\caption{{{escaped(view.title)}. {escaped(view.caption)}}}"
    yield rf"\label{{tab:{label}}}"
    yield rf"\begin{{tabular}}{{{''.join('l' if c.kind == 'label' else 'r' for c in view.columns)}}}"
    yield r"\toprule"
    yield " & ".join(_marked(column.title, column) for column in view.columns) + r" \\"
    yield r"\midrule"
    group = ""
    for line in view.lines:
        if line.group != group:
            group = line.group
            yield rf"\multicolumn{{{columns}}}{{l}}{{\textit{{{escaped(group)}}}}} \\"
        yield " & ".join(_marked(cell.text, cell) for cell in line.cells) + r" \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"
    if view.notes or view.footers:
        yield r"\par\medskip\begin{minipage}{0.95\linewidth}\footnotesize"
        for number, note in enumerate(view.notes, 1):
            yield rf"\textsuperscript{{{number}}}~{escaped(note)}\par"
        for footer in view.footers:
            yield rf"{escaped(footer)}\par"
        yield r"\end{minipage}"
    yield r"\end{table}"


def _marked(text: str, of: Cell | Column) -> str:
    marks = ",".join(map(str, of.marks))
    return escaped(text) + (rf"\textsuperscript{{{marks}}}" if marks else "")


def escaped(text: str) -> str:
    """Text that LaTeX prints unchanged. Text from targets cannot become a command."""
    return "".join(_SPECIAL.get(c, c if c.isprintable() else "?") for c in text)


EXPORTER = Exporter("latex", "the tables of show, with booktabs", _write)
