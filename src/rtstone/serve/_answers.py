# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Answers a request with a page, JSON or OpenMetrics, made from the archive alone."""

from __future__ import annotations

import gc
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache

import msgspec

from rtstone.archive import Batch, FleetMachine, RunSummary, open_fleet
from rtstone.errors import InfrastructureError, UsageError, nearest
from rtstone.judge.compare import compare
from rtstone.judge.history import RunReading, history, read
from rtstone.model import Run
from rtstone.model.text import json_document, neutral, neutral_json
from rtstone.serve._model import Bounds
from rtstone.show import site, tables
from rtstone.show.exporters import named, openmetrics
from rtstone.show.report import render_html, warm
from rtstone.studies import studies

HTML, JSON, METRICS = (
    "text/html; charset=utf-8",
    "application/json",
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
)
_PASSES = ("single", "batch")
_WAIT_S = 5.0
_BATCHES = 50
"""Most batches on the page of the queue."""
_READINGS = 1_000
"""Number of runs whose figures for histories are cached, the last requested ones; some tens of kilobytes each."""


class Setup(msgspec.Struct):
    """A worker's first message."""

    where: str | None
    bounds: Bounds
    theme: str


class PageRequest(msgspec.Struct):
    """One request: a page of PAGES, one of its forms, its query, and the key of the answer that the sender already has."""

    page: str
    form: str
    query: dict[str, str]
    known: str = ""


class PageAnswer(msgspec.Struct):
    """An answer. Status 304 with an empty body: the known answer is still valid."""

    status: int
    kind: str
    body: bytes
    key: str = ""


class NotThereError(UsageError):
    """The requested object is not in the archive."""


def document(name: str, **content: object) -> bytes:
    """JSON with a schema's name, as all our documents have it."""
    return json_document({"schema": f"rtstone.serve.{name}", "version": "1.0", **content})


class Answers:
    """Answers requests, one at a time."""

    def __init__(self, setup: Setup) -> None:
        self._fleet = open_fleet(setup.where, wait_s=_WAIT_S)
        self._bounds, self._theme = setup.bounds, setup.theme
        self._loaded = lru_cache(maxsize=8)(self._load)
        self._readings: dict[tuple[str, int, str, str], RunReading] = {}
        self._found: Sequence[RunSummary] = ()
        """The runs of the requested history."""

    def warm(self) -> None:
        """Load what every page needs before the first request: the charts' library takes seconds the first time."""
        import scipy.stats  # noqa: F401 - a second of its own

        warm()
        site.load_templates()
        studies()
        gc.freeze()  # the collector need not search the libraries' objects during each page

    def answer(self, asked: PageRequest) -> PageAnswer:
        """The answer to a request. An error becomes a page that reports it in a line.

        The garbage collector waits until it is done: it would search the runs and the page's data again and again.
        """
        gc.disable()
        try:
            made = self._made(asked)
        except NotThereError as error:
            made = self._wrong(asked, 404, "Not there", str(error))
        except UsageError as error:
            made = self._wrong(asked, 400, "Not understood", str(error))
        except InfrastructureError as error:
            made = self._wrong(asked, 503, "Not now", str(error))
        finally:
            gc.enable()
        return made

    def _wrong(self, asked: PageRequest, status: int, title: str, text: str) -> PageAnswer:
        if asked.form:
            return PageAnswer(status, JSON, document("error", error=text))
        return PageAnswer(status, HTML, site.message_page(title, text, theme=self._theme).encode())

    def _made(self, asked: PageRequest) -> PageAnswer:
        page = PAGES[asked.page]
        strange = sorted(asked.query.keys() - page.query)
        if strange:
            raise UsageError(f"the page '{asked.page}' takes no '{strange[0][:40]}'")
        missing = sorted(page.needs - asked.query.keys())
        if missing:
            raise UsageError(f"the page '{asked.page}' wants {' and '.join(missing)}")
        state = page.key(self, asked.query)
        key = hashlib.sha256(repr((asked.page, asked.form, sorted(asked.query.items()), state)).encode()).hexdigest()[
            :32
        ]
        if key == asked.known:
            return PageAnswer(304, "", b"", key)
        kind = {"": HTML, "json": JSON, "openmetrics": METRICS}[asked.form]
        return PageAnswer(200, kind, page.make(self, asked.form, asked.query), key)

    # ---- the keys of answers

    def of_runs(self, query: Mapping[str, str]) -> object:
        """The requested runs, each with its last save.
        A final run stays the same, but `last` may be another run tomorrow."""
        return [self._meant(reference) for name in ("id", "a", "b") if (reference := query.get(name)) is not None]

    def of_run(self, query: Mapping[str, str]) -> object:
        """As `of_runs`, with the verdict of a check, which is recorded without saving the run."""
        meant = self._meant(query["id"])
        return meant, self._fleet.gate(meant[0])

    def of_found(self, query: Mapping[str, str]) -> object:
        """The runs of a history, each with its last save."""
        self._found = self._of_history(query)
        ids = [one.id for one in self._found]
        return list(zip(ids, self._fleet.turns(ids), strict=True))

    def of_newest(self, _: Mapping[str, str]) -> object:
        """The newest save of the archive,
        and the minute: pages are rebuilt each minute, because runs may be deleted too."""
        return self._fleet.newest(), int(datetime.now(UTC).timestamp()) // 60

    def of_queue(self, _: Mapping[str, str]) -> object:
        """The content of the queue's page, which changes with each lease."""
        return self._batches()

    def _batches(self) -> tuple[Batch, ...]:
        return self._fleet.batches(_BATCHES)

    def _turn(self, run_id: str) -> int:
        try:
            return self._fleet.turn(run_id)
        except UsageError as error:
            raise NotThereError(str(error)) from error

    def _meant(self, reference: str) -> tuple[str, int]:
        """Id and turn of the run of an id, the beginning of one, a label, a target, or `last`."""
        try:
            return self._fleet.meant(reference)
        except UsageError as error:
            raise NotThereError(str(error)) from error

    # ---- the pages

    def machines(self, form: str, _: Mapping[str, str]) -> bytes:
        """All machines."""
        found = self._fleet.machines(self._bounds.machines + 1, recent=form != "openmetrics")
        more, found = len(found) > self._bounds.machines, found[: self._bounds.machines]
        if form == "json":
            return document("machines", machines=found, more=more)
        if form == "openmetrics":
            return metrics(found)
        return site.machines_page(found, theme=self._theme, more=more).encode()

    def queue(self, form: str, _: Mapping[str, str]) -> bytes:
        """The progress of the batches of `measure-all`."""
        found = self._batches()
        return document("queue", batches=found) if form else site.queue_page(found, theme=self._theme).encode()

    def machine(self, form: str, query: Mapping[str, str]) -> bytes:
        """One machine."""
        machine, before = query["id"], query.get("before", "")
        if before:
            self._turn(before)
        limit = 50
        runs = self._fleet.runs_of(machine, limit + 1, before)
        if not runs:
            raise NotThereError(
                f"there is no run of the machine '{machine[:100]}'" + (" before that" if before else "")
            )
        more, runs = len(runs) > limit, runs[:limit]
        if form == "openmetrics":
            return named("openmetrics").write([self._run_of(runs[0].id)])
        measured = self._fleet.measured(runs[0].id)
        if form == "json":
            return document("machine", machine=machine, runs=runs, measured=measured, more=more)
        return site.machine_page(
            machine, runs, measured, before=runs[-1].id if more else "", theme=self._theme
        ).encode()

    def study(self, form: str, query: Mapping[str, str]) -> bytes:
        """A study across machines."""
        of = next((one for one in studies() if one.id == query["id"]), None)
        if of is None:
            near = nearest(query["id"], (one.id for one in studies()))
            raise NotThereError(f"there is no study '{query['id'][:100]}'.{near}")
        chosen = query.get("machines", "").split(",") if query.get("machines") else ()
        found = self._fleet.with_study(of.id, self._bounds.machines, chosen)
        if not found and not form:
            text = "No machine has a complete run of this study yet."
            return site.message_page(f"{of.title} across machines", text, theme=self._theme).encode()
        shown = found[: self._bounds.columns]
        rows = [row for table in of.tables for row in table.rows]
        wanted = {name for row in rows for name in (row.quantity, row.measurement)}
        runs = [
            msgspec.structs.replace(run, label=run.label if not run.machine_name else run.machine_name)
            for run in self._fleet.load_parts([one.id for one in shown], wanted)
        ]
        if form == "json":
            return document(
                "study", study=of.id, runs=shown, more=len(found) - len(shown), tables=tables.views(runs, [of.id])
            )
        return site.study_page(of.id, runs, rest=len(found) - len(shown), theme=self._theme).encode()

    def run(self, form: str, query: Mapping[str, str]) -> bytes:
        """The report on a run; as JSON the run's document."""
        run = self._run_of(query["id"])
        if form == "json":
            return neutral_json(msgspec.json.encode(run)) + b"\n"
        if form == "openmetrics":
            return named("openmetrics").write([run])
        links = [*site.links()[:1], ("This machine", site.address("machine", id=run.machine))]
        return render_html([run], theme=self._theme, links=links, gate=self._fleet.gate(run.id)).encode()

    def compare(self, form: str, query: Mapping[str, str]) -> bytes:
        """Two runs, the first of them the reference."""
        runs = [self._run_of(query[side]) for side in ("a", "b")]
        made = compare(runs)
        if form == "json":
            return json_document(made)
        links = [
            *site.links()[:1],
            ("This machine", site.address("machine", id=runs[1].machine)),
            *((f"Run {'AB'[n]}", site.address("run", id=run.id)) for n, run in enumerate(runs)),
        ]
        return render_html(runs, theme=self._theme, comparison=made, links=links).encode()

    def history(self, form: str, query: Mapping[str, str]) -> bytes:
        """A quantity from run to run."""
        quantity, machine, pass_ = query["quantity"], query.get("machine"), query.get("pass")
        if pass_ not in {None, *_PASSES}:
            raise UsageError(f"pass is single or batch, not '{str(pass_)[:40]}'")
        found = self._found  # the key has just searched for them
        if not found:
            near = nearest(quantity, self._fleet.quantities())
            raise NotThereError(f"no run that matches has the quantity '{quantity[:100]}'.{near}")
        statistic = query.get("statistic", "median")
        made = history(
            self._read_of(found, quantity, statistic),
            quantity,
            statistic=statistic,
            load=query.get("load"),
            pass_=pass_,
        )
        if not made.series and not made.incomplete:
            raise NotThereError(f"no complete run that matches has a figure of '{quantity[:100]}'")
        if form == "json":
            return json_document(made)
        here = found[0].machine_name if machine is not None else ""
        json = site.address("history", form="json", **query)
        return site.history_page(made, here=here, json=json, theme=self._theme).encode()

    def _of_history(self, query: Mapping[str, str]) -> Sequence[RunSummary]:
        limit = _number(query, "limit", 50, self._bounds.runs)
        quantity, machine, label = query["quantity"], query.get("machine"), query.get("label")
        return self._fleet.list(limit, quantity=quantity, label=label, machine_id=machine)

    def _read_of(self, found: Sequence[RunSummary], quantity: str, statistic: str) -> list[RunReading]:
        """The figures of a history, one for each run. Only new runs are read; the others are cached."""
        turns = self._fleet.turns([one.id for one in found])  # before the runs are read: a newer save is read again
        keys = [(one.id, turn, quantity, statistic) for one, turn in zip(found, turns, strict=True)]
        known = {key: self._readings.pop(key) for key in keys if key in self._readings}
        new = [key for key in keys if key not in known]
        for key, run in zip(new, self._fleet.load_parts([key[0] for key in new], {quantity}), strict=True):
            known[key] = read(run, quantity, statistic)
        self._readings |= known
        while len(self._readings) > _READINGS:
            del self._readings[next(iter(self._readings))]
        return [known[key] for key in keys]

    def _run_of(self, reference: str) -> Run:
        """A run in the state of its last save. `reference`: as in `_meant`."""
        return self._loaded(*self._meant(reference))

    def _load(self, run_id: str, _turn: int) -> Run:
        return self._fleet.load(run_id)


def _number(query: Mapping[str, str], name: str, usual: int, most: int) -> int:
    text = query.get(name)
    if text is None:
        return min(usual, most)
    if not re.fullmatch(r"[1-9][0-9]{0,5}", text, re.ASCII) or int(text) > most:
        raise UsageError(f"{name} is a number from 1 to {most}, not '{text[:40]}'")
    return int(text)


def metrics(machines: Sequence[FleetMachine]) -> bytes:
    """Machines as OpenMetrics: the number of runs, the time of the newest run, and whether it is reliable."""
    from prometheus_client.metrics_core import GaugeMetricFamily

    gauges: dict[str, tuple[str, str, Callable[[FleetMachine], float]]] = {
        "runs": ("", "Final runs in the archive.", lambda one: one.runs),
        "last_run_timestamp": ("seconds", "When the newest run began.", lambda one: _seconds(one.last.started)),
        "last_run_complete": (
            "",
            "1: every result of the newest run is there.",
            lambda one: one.last.verdict in {"complete", "doubtful"},
        ),
        "last_run_doubtful": ("", "1: something disturbed the newest run.", lambda one: one.last.verdict == "doubtful"),
        "last_run_degraded": ("", "1: the newest run lacked something.", lambda one: one.last.degraded),
        "last_run_measured": ("", "Results of the newest run that have figures.", lambda one: one.last.measured),
    }
    families = []
    for name, (unit, said, value) in gauges.items():
        family = GaugeMetricFamily(f"rtstone_machine_{name}", said, labels=("machine", "name"), unit=unit)
        for one in machines:
            family.add_metric([neutral(one.machine), neutral(one.last.machine_name)], float(value(one)))
        families.append(family)
    return openmetrics.text(families)


def _seconds(started: str) -> float:
    try:
        return datetime.fromisoformat(started).timestamp()
    except ValueError:
        return 0.0


class _Page(msgspec.Struct, frozen=True):
    make: Callable[[Answers, str, Mapping[str, str]], bytes]
    key: Callable[[Answers, Mapping[str, str]], object]
    needs: frozenset[str] = frozenset()
    query: frozenset[str] = frozenset()
    forms: frozenset[str] = frozenset({"", "json"})
    heavy: bool = True
    """Whether it takes long, so that the drawing processes make it."""


_ALL = frozenset({"", "json", "openmetrics"})
PAGES = {
    "machines": _Page(Answers.machines, Answers.of_newest, forms=_ALL, heavy=False),
    "machine": _Page(
        Answers.machine, Answers.of_newest, frozenset({"id"}), frozenset({"id", "before"}), forms=_ALL, heavy=False
    ),
    "queue": _Page(Answers.queue, Answers.of_queue, heavy=False),
    "study": _Page(Answers.study, Answers.of_newest, frozenset({"id"}), frozenset({"id", "machines"})),
    "run": _Page(Answers.run, Answers.of_run, frozenset({"id"}), frozenset({"id"}), forms=_ALL),
    "compare": _Page(Answers.compare, Answers.of_runs, frozenset({"a", "b"}), frozenset({"a", "b"})),
    "history": _Page(
        Answers.history,
        Answers.of_found,
        frozenset({"quantity"}),
        frozenset({"quantity", "machine", "label", "load", "pass", "statistic", "limit"}),
    ),
}
"""Word of a page's address -> its page. `/` is machines, and /metrics is machines as OpenMetrics."""
