# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The pages themselves. As in the report, strings of runs appear as text, whatever they contain."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from rtstone.archive import Batch, FleetMachine, Measured, RunSummary
from rtstone.judge.history import History, Series
from rtstone.model import Run, Variant, short_id
from rtstone.model.units import count, duration, in_column, minute
from rtstone.model.variant import words as words_of
from rtstone.show import tables
from rtstone.show.judged import words
from rtstone.show.report import _page
from rtstone.show.report._page import environment, frame, put, study
from rtstone.show.report._specs import Chart
from rtstone.show.site._chart import chart
from rtstone.show.site._line import line
from rtstone.show.site._where import address, links

_FACTS = 6
"""Most facts of a step that the page shows; the JSON document has all."""


def machines_page(machines: Sequence[FleetMachine], *, theme: str = "auto", more: bool = False) -> str:
    """A line for each machine, the most urgent first: verdict on the newest run, gate, main figures and last runs.

    `more`: there are other machines that are not in the list.
    """
    lines = [
        _summary(one.last) | line(one) | {"runs": one.runs, "first": minute(one.first_started)} for one in machines
    ]
    lines.sort(key=lambda one: int(one["attention"]))
    return page("machines.html.j2", "Machines", theme, lines=lines, more=more, json=address("machines", form="json"))


def queue_page(batches: Sequence[Batch], *, theme: str = "auto") -> str:
    """A line for each batch of `measure-all`: its progress, and its workers."""
    return page("queue.html.j2", "Queue", theme, batches=batches, json=address("queue", form="json"))


def machine_page(
    machine: str, runs: Sequence[RunSummary], measured: Sequence[Measured], *, before: str = "", theme: str = "auto"
) -> str:
    """The runs of a machine, the last first, and the figures of the newest run.

    `before`: the next page begins after this run.
    """
    name = next((run.machine_name for run in runs if run.machine_name), "") or machine or "machine not told"
    lines = [_summary(run) for run in runs]
    for one, older in zip(lines, [*runs[1:], None], strict=True):
        one["compare"] = address("compare", a=older.id, b=one["id"]) if older is not None else ""
    figures = [
        {
            "quantity": one.quantity,
            "circumstances": words_of(one.circumstances, (Variant(),)),
            "cells": [_us(value) for value in (one.mean_ns, one.p50_ns, one.p99_ns, one.max_ns)],
            "count": count(one.count),
            "status": one.status,
            "history": address("history", quantity=one.quantity, machine=machine, load=one.load, **{"pass": one.pass_}),
        }
        for one in measured
    ]
    return page(
        "machine.html.j2",
        name,
        theme,
        machine=machine,
        lines=lines,
        figures=figures,
        newest=lines[0] if lines else None,
        older=address("machine", id=machine, before=before) if before else "",
        json=address("machine", form="json", id=machine),
        metrics=address("machine", form="openmetrics", id=machine),
    )


def study_page(study_id: str, runs: Sequence[Run], *, rest: int = 0, theme: str = "auto") -> str:
    """A study's tables with a column for each run. `rest`: the number of other machines that ran the study."""
    drawn: list[Chart] = []
    data: dict[str, dict[str, object]] = {}
    view = tables.views(runs, [study_id])[0]
    shown = study(view, runs, drawn, data)
    columns = [
        {"label": label, "id": run.id, "to": address("run", id=run.id), "machine": address("machine", id=run.machine)}
        | {"started": minute(run.started), "kernel": run.kernel()}
        for run, label in zip(runs, tables.names(runs), strict=True)
    ]
    return page(
        "across.html.j2",
        f"{view.title} across machines",
        theme,
        drawn,
        data,
        study=shown,
        columns=columns,
        rest=rest,
        json=address("study", form="json", id=study_id),
    )


def history_page(history: History, *, here: str, json: str, theme: str = "auto") -> str:
    """The history of a quantity: a chart, steps and runs of each series. `here`: the machine's name, or empty."""
    drawn: list[Chart] = []
    data: dict[str, dict[str, object]] = {}
    series = []
    for number, one in enumerate(history.series):
        (mine,) = put([chart(one, f"history-{number}")], drawn, data)
        series.append(_series(one, mine))
    of = f" on {here}" if here else ""
    return page(
        "history.html.j2",
        f"History of {history.quantity}{of}",
        theme,
        drawn,
        data,
        series=series,
        history=history,
        json=json,
    )


def message_page(title: str, text: str, *, theme: str = "auto") -> str:
    """A page with one line that states an error."""
    return page("message.html.j2", title, theme, text=text, json="")


def load_templates() -> None:
    """Compile the templates of these pages, before the first page."""
    _page.load_templates("rtstone.show.site", _file)


def page(
    template: str,
    title: str,
    theme: str,
    drawn: Sequence[Chart] = (),
    data: dict[str, dict[str, object]] | None = None,
    **words_: Any,
) -> str:
    known = {**frame(drawn, data or {}, theme=theme), "title": title, "links": links(), **words_}
    return environment(_file).get_template(template).render(known)


def _file(name: str) -> str | None:
    found = files("rtstone.show.site") / "page" / name
    return found.read_text(encoding="utf-8") if found.is_file() else None


def _summary(run: RunSummary) -> dict[str, Any]:
    """A run in a list, with the verdict at the top of its report."""
    verdict = "complete, but doubtful" if run.verdict == "doubtful" else run.verdict or "not judged"
    return {
        "id": run.id,
        "short": short_id(run.id),
        "name": run.machine_name or run.machine or "not told",
        "to": address("run", id=run.id),
        "machine": address("machine", id=run.machine),
        "target": run.target,
        "label": run.label,
        "kernel": run.kernel,
        "studies": [(one, address("study", id=one)) for one in run.studies],
        "profile": run.profile,
        "started": minute(run.started),
        "measured": f"{run.measured} of {run.results}",
        "level": run.verdict or "incomplete",
        "verdict": verdict,
        "doubts": run.doubts,
    }


def _series(of: Series, mine: Chart) -> dict[str, Any]:
    unit, divisor = words.unit_of_series(of)
    steps = []
    for number, step in enumerate(of.steps, 1):
        steps.append(
            {
                "verdict": step.verdict,
                "text": words.step(of, number),
                "before": _run(step.before, step.before_started),
                "after": _run(step.after, step.after_started),
                "compare": address("compare", a=step.before, b=step.after),
                "facts": [(one.fact, words.shown(one, 0), words.shown(one, 1)) for one in step.differences[:_FACTS]],
                "more": max(0, len(step.differences) - _FACTS),
            }
        )
    return {
        "title": of.title,
        "names": _names(of),
        "key": mine.key,
        "chart": mine,
        "unit": unit,
        "statistic": of.statistic,
        "where": " on ".join(filter(None, (of.target, of.machine_name))),
        "apart": of.apart,
        "enough": of.enough,
        "wanders": of.wanders,
        "steps": steps,
        "points": [
            _run(point.run, point.started) | {"label": point.label, "value": in_column(point.value_ns / divisor)}
            for point in reversed(of.points)
        ],
    }


def _names(of: Series) -> str:
    """The measurement, the load and the period of a series."""
    period = f"period {duration(of.variant.period_ns)}" if of.variant.period_ns else "no period"
    return f"measurement {of.measurement}; {words_of(of.variant, (Variant(),), without=('period_ns',))}; {period}"


def _run(run_id: str, started: str) -> dict[str, str]:
    return {"short": short_id(run_id), "to": address("run", id=run_id), "started": minute(started)}


def _us(ns: float | None) -> str:
    return "" if ns is None else in_column(ns / 1e3)
