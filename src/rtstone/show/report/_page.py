# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The report as one page: runs in, HTML out. The page needs no other file, and trusts no text from a target."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from jinja2 import ChoiceLoader, Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from rtstone.judge.compare import Comparison
from rtstone.model import Run, Variant
from rtstone.model import labels as labelled
from rtstone.model.headline import MAIN
from rtstone.model.units import count, counted, in_column, minute, waiting
from rtstone.show import tables
from rtstone.show.report import _bundle, _comparison, _look, _overview, _provenance, _stages
from rtstone.show.report._charts import charts
from rtstone.show.report._series import PERCENTILES, ChartSeries, ReportSection, circumstances, sections
from rtstone.show.report._specs import Chart, Rows, drawn_labels
from rtstone.show.report._verdict import verdict
from rtstone.studies import Study, studies
from rtstone.version import __version__

if TYPE_CHECKING:
    from rtstone.archive import GateVerdict


class PageLink(NamedTuple):
    """A link to another page."""

    title: str
    to: str


GATES = {"pass": "complete", "exceeded": "incomplete", "regressed": "incomplete", "inconclusive": "doubtful"}
"""Outcome of a check -> the level whose colour it has."""
_OPENING = 2
"""Most histograms at the top of a report. With several runs each circumstance has its own."""
_NAMED = 2
"""Most hosts, kernels or dates that a title names. Of more it gives the number, or the first and last date."""

FIGURE_HEADINGS = ("count", "min", "mean", "sd", *(f"p{p:g}" for p in PERCENTILES), "maximum")

_SENTENCES = {"met": "met", "substituted": "substituted", "not met": "not-met"}


def render(
    runs: Sequence[Run],
    *,
    theme: str = "auto",
    made: str = "",
    comparison: Comparison | None = None,
    links: Sequence[PageLink] = (),
    gate: GateVerdict | None = None,
) -> str:
    """The page. `theme`: auto, light or dark. `made`: the date to print, or empty. `comparison`: that of these runs.

    `links`: pages that come first in the contents. `gate`: the verdict of `rtstone check` on the run.
    Raises ValueError without runs. Strings of the runs appear as text, whatever they contain.
    """
    if not runs:
        raise ValueError("a report needs at least one run")
    labels = tables.names(runs)
    drawn: list[Chart] = []
    data: dict[str, dict[str, object]] = {}
    found = sections(runs)
    compared = _compared(comparison, found, drawn, data) if comparison is not None else None
    opening = [_opened(section, number, drawn, data) for number, section in enumerate(_opening(found))]
    first = _first(runs, drawn, data)
    studied = [study(view, runs, drawn, data) for view in _views(runs)]
    staged = [_staged(group, drawn, data) for group in _stages.stages(found)]
    shown = [_section(section, drawn, data) for section in found]
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            **frame(drawn, data, theme=theme, bundled=True),
            links=links,
            title=_title(runs),
            identity=_identity(runs[0]) if len(runs) == 1 else (),
            sentences=tables.sentences(runs, _studied(runs), comparison=comparison),
            opening=opening,
            subtitle=_subtitle(runs, labels),
            made=made,
            verdict=verdict(runs, labels),
            doubts=_of_runs(runs, labels, tables.doubts),
            notes=_of_runs(runs, labels, lambda run: tables.run_notes(run, runs)),
            overview=first,
            comparison=compared,
            gate=gate,
            gate_level=GATES[gate.outcome] if gate is not None else "",
            runs=[_run(run, label) for run, label in zip(runs, labels, strict=True)],
            studies=studied,
            stages=staged,
            sections=shown,
            virtual=any(run.time == "instruction-time" for run in runs),
            emulated=any(run.time == "emulated-time" for run in runs),
            provenance=_provenance.provenance(runs, labels),
            losses=_provenance.losses(runs, labels),
            problems=_provenance.problems(runs, labels),
            consoles=tuple(_provenance.consoles(runs, labels)),
        )
    )


def frame(
    drawn: Sequence[Chart], data: Mapping[str, dict[str, object]], *, theme: str, bundled: bool | None = None
) -> dict[str, Any]:
    """The values for the template of every page: style, scripts, and the policy that allows only these.

    The charts' library is included if there are charts, or if `bundled`.
    """
    script, style = _file("page.js"), _file("page.css")
    bundle = _bundle.script() if drawn or bundled else ""
    return {
        "theme": theme,
        "version": __version__,
        "policy": _policy([bundle, script], style),
        "style": Markup(style),  # noqa: S704 - our own file
        "script": Markup(script),  # noqa: S704 - our own file
        "bundle": Markup(bundle),  # noqa: S704 - the charts' library
        "data": _json({"config": _look.config(_look.ON_SCREEN), "charts": drawn, "datasets": data}),
    }


def _of_runs(runs: Sequence[Run], labels: Sequence[str], texts: Callable[[Run], Iterable[str]]) -> list[str]:
    """Each text once. If it does not hold for all runs, the text names its runs."""
    found: dict[str, list[str]] = {}
    for run, label in zip(runs, labels, strict=True):
        for text in texts(run):
            found.setdefault(text, []).append(label)
    return [text if len(of) == len(runs) else f"{text} ({', '.join(of)})" for text, of in found.items()]


def _studied(runs: Sequence[Run]) -> list[Study]:
    """The studies that the runs were made for; without one, a study made from all measured quantities."""
    ids = dict.fromkeys(name for run in runs for name in run.studies)
    return [one for one in studies() if one.id in ids] or [tables.measured_study(runs)]


def _first(runs: Sequence[Run], drawn: list[Chart], data: dict[str, dict[str, object]]) -> dict[str, Any] | None:
    """The chart of all quantities with published figures."""
    return _overviewed(_overview.overview(runs, _studied(runs), "overview"), drawn, data)


def _opening(found: Sequence[ReportSection]) -> list[ReportSection]:
    """The sections whose histograms are at the top of a report: those of the main quantity.

    One run has one chart, idle and loaded. Several runs have a chart for each circumstance.
    """
    there = [section for section in found if any(series.bins for series in section.single)]
    names = dict.fromkeys(section.quantity for section in there)
    quantity = next((name for name in (*MAIN, *names) if name in names), None)
    return [section for section in there if section.quantity == quantity][:_OPENING]


def _opened(
    section: ReportSection, number: int, drawn: list[Chart], data: dict[str, dict[str, object]]
) -> dict[str, Any]:
    """A histogram of the first screen, with the number of each series' colour."""
    (chart, rows), *_ = charts(section)
    time = f" ({section.time_unit})" if section.virtual else ""
    key = f"latency-{number}" if number else "latency"
    (mine,) = put(
        [(msgspec.structs.replace(chart, key=key, title=f"Latency of {section.title}{time}"), rows)], drawn, data
    )
    colours = drawn_labels(section)
    return {"chart": mine, "legend": [(colours.index(label), label) for label in mine.legend]}


def _overviewed(
    made: tuple[Chart, Rows, str] | None, drawn: list[Chart], data: dict[str, dict[str, object]]
) -> dict[str, Any] | None:
    if made is None:
        return None
    chart, rows, rest = made
    put([(chart, rows)], drawn, data)
    published = any(row["s"] == _overview.PUBLISHED for row in rows)
    return {"chart": chart, "series": chart.legend[1:], "published": published, "rest": rest}


def study(
    view: tables.StudyView, runs: Sequence[Run], drawn: list[Chart], data: dict[str, dict[str, object]]
) -> dict[str, Any]:
    """The template's values of a study: its tables, a chart with each of the paper's tables, and each note once."""
    split = [(part, part is not split[0]) for table in view.tables for split in [_split(table)] for part in split]
    shown, notes = tables.numbered_once(msgspec.structs.replace(view, tables=tuple(part for part, _ in split)))
    of = next((one for one in studies() if one.id == view.study), None)
    parts = []
    for position, (table, (_, other)) in enumerate(zip(shown.tables, split, strict=True)):
        chart = None
        if of is not None and table.kind == "paper" and not other:
            key = f"study-{view.study}-chart-{position}"
            chart = _overviewed(_overview.overview(runs, [of], key, only=of.table(table.number)), drawn, data)
        parts.append({"view": table, "chart": chart, "folded": table.kind != "paper" and of is not None})
    return {
        "study": view.study,
        "title": view.title,
        "citation": view.citation,
        "parts": parts,
        "notes": notes,
        "sheet": view.sheet,
    }


def _split(table: tables.TableView) -> tuple[tables.TableView, ...]:
    """A paper's table without our columns that have a figure in less than half of its lines, and a table of these
    columns and lines: with all of them side by side, the table is wider than the page.

    A column without any figure is named in the caption. A column with a mark stays: its note may be why it is empty.
    """
    columns = range(len(table.columns))
    filled = [[line.cells[i].state not in {"absent", "blank"} for line in table.lines] for i in columns]
    ours = [i for i in columns if table.columns[i].kind == "ours"]
    few = [i for i in ours if 2 * sum(filled[i]) < len(table.lines) and not table.columns[i].marks]
    if table.kind != "paper" or not few or few == ours:
        return (table,)
    empty = [table.columns[i].title for i in few if not any(filled[i])]
    caption = "; no figure: ".join([table.caption, *([", ".join(empty)] if empty else [])])
    main = _only(table, [i for i in columns if i not in few], table.lines, caption=caption)
    some = [i for i in few if any(filled[i])]
    if not some:
        return (main,)
    lines = [line for number, line in enumerate(table.lines) if any(filled[i][number] for i in some)]
    labels = [i for i in columns if table.columns[i].kind == "label"]
    title = f"{table.title}: columns with figures in few rows"
    return main, _only(table, [*labels, *some], lines, title=title, footers=())


def _only(
    table: tables.TableView, kept: Sequence[int], lines: Sequence[tables.Line], **changes: Any
) -> tables.TableView:
    """These columns and lines of a table, with the notes that they refer to."""
    cut = tuple(msgspec.structs.replace(line, cells=tuple(line.cells[i] for i in kept)) for line in lines)
    columns = tuple(table.columns[i] for i in kept)
    return tables.without_unused(msgspec.structs.replace(table, columns=columns, lines=cut, **changes))


@cache
def environment(*more: Callable[[str], str | None]) -> Environment:
    """The template environment. `more`: other sources of templates, which are asked first."""
    made = Environment(
        loader=ChoiceLoader([FunctionLoader(find) for find in (*more, _file)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["counted"] = counted
    made.filters["css"] = lambda verdict: _SENTENCES[verdict]
    return made


def load_templates(room: str = "rtstone.show.report", *more: Callable[[str], str | None]) -> None:
    """Compile the templates of a room, which takes a tenth of a second. `more`: as in `environment`."""
    for template in (files(room) / "page").iterdir():
        if template.name.endswith(".j2"):
            environment(*more).get_template(template.name)


def _file(name: str) -> str:
    return (files("rtstone.show.report") / "page" / name).read_text(encoding="utf-8")


def _policy(scripts: Sequence[str], style: str) -> str:
    """The security policy: only these scripts and this style, by their hashes; no other source, frames or forms."""
    allowed = " ".join(_hash(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    # A browser hashes the parsed text, and a parser reads CR LF as LF.
    assert "\r" not in text, "our files end lines with LF"  # noqa: S101
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _json(document: object) -> Markup:
    """JSON for a script element, without characters that could end the element or open another."""
    text = msgspec.json.encode(document).decode()
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))  # noqa: S704


def _compared(
    comparison: Comparison, found: Sequence[ReportSection], drawn: list[Chart], data: dict[str, dict[str, object]]
) -> dict[str, Any]:
    """The template's values of a comparison. Its charts are added to the charts of the page."""
    mine = put(_comparison.charts(comparison), drawn, data)
    anchors: dict[tuple[str, str, Variant], str] = {}
    for section in found:
        for series in (*section.single, *section.batch):
            anchors[section.measurement, section.quantity, circumstances(series.variant)] = f"m-{section.key}"
    return _comparison.shown(comparison, anchors, mine)


def put(
    made: Iterable[tuple[Chart, Rows]], drawn: list[Chart], data: dict[str, dict[str, object]]
) -> tuple[Chart, ...]:
    """Add charts and their data to the page's only block of JSON. Returns the charts."""
    mine = []
    for chart, rows in made:
        drawn.append(chart)
        data[chart.data] = _compact(rows, chart.legend)
        mine.append(chart)
    return tuple(mine)


def _staged(of: _stages.Stages, drawn: list[Chart], data: dict[str, dict[str, object]]) -> dict[str, Any]:
    """The template's values of a measurement with several stages."""
    return {
        "anchor": of.key,
        "title": of.title,
        "time_unit": of.sections[0].time_unit,
        "legend": of.labels,
        "charts": put(_stages.charts(of), drawn, data),
        "remarks": _stages.residuals(of),
    }


def _views(runs: Sequence[Run]) -> tuple[tables.StudyView, ...]:
    """The papers' tables. Skips a study that this version does not know (of an older or newer run)."""
    named = dict.fromkeys(name for run in runs for name in run.studies)
    ours = {study.id for study in studies()}
    known = [name for name in named if name in ours]
    return tables.views(runs, known) if known or not named else ()


def _run(run: Run, label: str) -> dict[str, object]:
    results = run.results()
    return {
        "label": label,
        "id": run.id,
        "target": run.target,
        "kernel": run.kernel(),
        "machine": _machine(run),
        "studies": ", ".join(run.studies) or "none",
        "profile": run.profile,
        "started": run.started[:19].replace("T", " "),
        "took": _took(run),
        "measured": count(sum(result.status == "ok" for result in results)),
        "results": count(len(results)),
        "status": f"{run.status}, degraded" if run.degraded else run.status,
    }


def _machine(run: Run) -> str:
    """The machine in one line."""
    env = run.sessions[0].env if run.sessions else {}
    of_cpus = env.get("cpu.count", "")
    cpus = f"{of_cpus} CPUs" if of_cpus not in {"", "1"} else ""
    return ", ".join(filter(None, (run.kernel(), env.get("cpu.model", ""), cpus)))


def _took(run: Run) -> str:
    try:
        seconds = (datetime.fromisoformat(run.ended) - datetime.fromisoformat(run.started)).total_seconds()
    except (ValueError, TypeError):
        return ""
    return waiting(seconds)


def _title(runs: Sequence[Run]) -> str:
    """Host, kernel and date: `bench, Linux 6.1.0-rt, 2026-11-25`. For several runs, their number and two of each."""
    hosts = list(dict.fromkeys(_host(run) for run in runs))
    kernels = list(dict.fromkeys(run.kernel() for run in runs))
    several = f"{len(runs)} runs: " if len(runs) > 1 else ""
    parts = (_few(hosts, "hosts"), _few(kernels, "kernels"), _dates(runs))
    return several + ", ".join(filter(None, parts))


def _host(run: Run) -> str:
    return run.machine_name or (labelled.THIS_MACHINE if run.target == "local" else run.target)


def _few(names: Sequence[str], noun: str) -> str:
    return " and ".join(names) if len(names) <= _NAMED else f"{len(names)} {noun}"


def _dates(runs: Sequence[Run]) -> str:
    """The dates on which the runs were started, in words."""
    days = sorted({run.started[:10] for run in runs if run.started})
    return " and ".join(days) if len(days) <= _NAMED else f"{days[0]} to {days[-1]}"


def _identity(run: Run) -> tuple[tuple[str, str], ...]:
    """The measured system, in terms by which a reader could buy the same one. Unknown facts are left out."""
    env = run.sessions[0].env if run.sessions else {}
    host = run.host
    number = env.get("cpu.count", "")
    cpus = f"{number} CPUs" if number not in {"", "1"} else ""
    version = env.get("kernel.version", "")
    found = (
        ("Machine", ", ".join(filter(None, (_host(run), env.get("machine.board", ""), host.get("board.title", ""))))),
        ("Kernel", ", ".join(filter(None, (run.kernel(), version)))),
        ("Preemption", env.get("kernel.preempt", "")),
        ("Processor", ", ".join(filter(None, (env.get("cpu.model", ""), cpus, env.get("cpu.governor", ""))))),
        ("Command line", env.get("kernel.cmdline", "")),
        ("Target", run.target),
        ("Measured", ", ".join(filter(None, (minute(run.started), _took(run), f"profile {run.profile}")))),
    )
    return tuple((name, text) for name, text in found if text)


def _subtitle(runs: Sequence[Run], labels: Sequence[str]) -> str:
    profiles = ", ".join(dict.fromkeys(run.profile for run in runs))
    names = f"{', '.join(labels)}; " if len(labels) > 1 else ""
    return f"{names}measured on {_dates(runs)}, profile {profiles}"


def _section(section: ReportSection, drawn: list[Chart], data: dict[str, dict[str, object]]) -> dict[str, Any]:
    """The template's values of a section. Its charts and their data are added to the page's only block of JSON."""
    mine = put(charts(section), drawn, data)
    legend = drawn_labels(section)
    lines = [_figures(series, section.divisor, "") for series in section.single]
    lines += [_figures(series, section.divisor, "sets") for series in section.batch]
    remarks = [
        f"{note.kind}: {note.service}: {note.text}" if note.service else f"{note.kind}: {note.text}"
        for note in section.notes
    ]
    for series in (*section.single, *section.batch):
        f = series.figures
        if f.overflow:
            remarks.append(
                f"{series.label}: beyond the histogram: {counted(f.overflow, 'sample')}, in count, mean and"
                " extremes, not in the charts"
            )
        if f.dropped:
            remarks.append(f"{series.label}: dropped by the target: {counted(f.dropped, 'sample')}")
    return {
        "anchor": f"m-{section.key}",
        "title": section.title,
        "unit": section.unit,
        "virtual": section.virtual,
        "time_unit": section.time_unit,
        "batch": bool(section.batch),
        "legend": legend,
        "charts": mine,
        "figures": {
            "labels": [line["label"] for line in lines],
            "rows": list(zip(FIGURE_HEADINGS, zip(*(line["cells"] for line in lines), strict=True), strict=True)),
        }
        if lines
        else None,
        "remarks": remarks + [f"{label}: {why}" for label, why in section.skipped],
    }


def _compact(rows: Rows, legend: Sequence[str]) -> dict[str, object]:
    """Rows as arrays with five significant digits. page.js turns them back into objects."""
    columns = list(dict.fromkeys(chain.from_iterable(rows)))
    number = {label: i for i, label in enumerate(legend)}

    def values(name: str) -> list[object]:
        cells = [row.get(name) for row in rows]
        if name == "s":
            return [number[str(cell)] for cell in cells]
        if not all(map(math.isfinite, [cell for cell in cells if isinstance(cell, float)])):
            raise ValueError(
                f"a chart's column '{name}' has a number that JSON cannot hold"
            )  # msgspec would write null
        return [float(f"{cell:.5g}") if isinstance(cell, float) else cell for cell in cells]

    return {
        "columns": columns,
        "series": list(legend),
        "rows": list(zip(*map(values, columns), strict=True)),
    }


def _figures(series: ChartSeries, divisor: float, of_what: str) -> dict[str, Any]:
    f = series.figures

    def shown(ns: float | None) -> str:
        return "" if ns is None else in_column(ns / divisor)

    label = f"{series.label}, {of_what}" if of_what else series.label
    if f.repetitions > 1:
        label += f" ({f.repetitions} repetitions)"
    cells = [count(f.count), *map(shown, (f.min, f.mean, f.sd, *map(f.shown_percentile, PERCENTILES), f.max))]
    return {"label": label, "cells": cells}
