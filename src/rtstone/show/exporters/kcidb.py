# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""KCIDB's JSON (kernelci.org's common report, version 5.3): a checkout and a build a run, a test for each figure.

A figure neither passes nor fails: it is `DONE`, with its number and unit. A result without figures is `SKIP` if the
kernel lacks it, `ERROR` if measuring it failed, `MISS` if the run did not reach it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from rtstone.model import Result, Run
from rtstone.model.text import neutral
from rtstone.model.variant import FACETS
from rtstone.show.exporters._model import Exporter
from rtstone.show.exporters._rows import Value, rows

ORIGIN = "rtstone"
"""Name of the sender. kernelci.org gives each laboratory its own: replace this one, with `jq` or your tool."""

_FIGURES = ("min_ns", "mean_ns", "p50_ns", "p99_ns", "p99.9_ns", "max_ns")
_STATUS = {"skipped": "SKIP", "incomplete": "MISS"}
_WORD = re.compile(r"[^a-zA-Z0-9_-]+")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,}(Z|[+-][0-9]{2}:[0-9]{2})", re.ASCII)


def _write(runs: Sequence[Run]) -> bytes:
    made: dict[str, Any] = {"version": {"major": 5, "minor": 3}, "checkouts": [], "builds": [], "tests": []}
    for run in runs:
        made["checkouts"].append(_checkout(run))
        made["builds"].append(_build(run))
        made["tests"] += _tests(run)
    return msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n"


def _id(run: Run, *more: object) -> str:
    return f"{ORIGIN}:{':'.join(_text(str(part)) for part in (run.id, *more))}"


def _checkout(run: Run) -> dict[str, Any]:
    """The checkout of a run. It has only the kernel's release, because a run does not know the commit of its source."""
    return {
        "id": _id(run),
        "origin": ORIGIN,
        "comment": _text(run.kernel() or "unknown kernel"),
        **_started(run),
    }


def _build(run: Run) -> dict[str, Any]:
    facts = run.sessions[0].env if run.sessions else {}
    architecture = facts.get("kernel.machine", "").lower()
    return {
        "id": _id(run),
        "origin": ORIGIN,
        "checkout_id": _id(run),
        **({"architecture": architecture} if re.fullmatch(r"[a-z0-9_]+", architecture) else {}),
        "misc": {
            "kernel_version": _text(facts.get("kernel.version", "")),
            "engine_compiler": _text(facts.get("compiler", "")),
        },
    }


def _tests(run: Run) -> Iterator[dict[str, Any]]:
    environment = {
        "comment": _text(" ".join(filter(None, (run.target, run.machine_name)))),
        "misc": {"machine": _text(run.machine), "label": _text(run.label), "time": run.time},
    }
    for number, (row, result, _) in enumerate(rows([run])):
        path = ".".join(_WORD.sub("_", part) or "_" for part in ("rtstone", result.measurement, result.quantity))
        common = {
            "origin": ORIGIN,
            "build_id": _id(run),
            "environment": environment,
            "comment": _text(_circumstances(row, result)),
            **_started(run),
        }
        misc = {"session": row["session"], "samples": result.count, "meaning": result.meaning}
        figures = {name: row[name] for name in _FIGURES if row[name] is not None} if result.status == "ok" else {}
        for name, value in figures.items():
            statistic = name.removesuffix("_ns").replace(".", "_")
            yield {
                "id": _id(run, number, statistic),
                **common,
                "path": f"{path}.{statistic}",
                "status": "DONE",
                "number": {"value": _seconds(value), "unit": "s", "prefix": "metric"},
                "misc": misc,
            }
        if not figures:
            said = _text(result.text or result.reason or "no figure")
            yield {
                "id": _id(run, number),
                **common,
                "path": path,
                "status": "DONE" if result.status == "ok" else _STATUS.get(result.status, "ERROR"),
                "misc": misc | {"status": result.status, "said": said},
            }


def _seconds(value: Value) -> float:
    """Nanoseconds as seconds, without the false digits that the conversion adds."""
    return float(f"{float(value or 0) * 1e-9:.12g}")


def _circumstances(row: dict[str, Value], result: Result) -> str:
    facets = [f"{facet.label} {facet.text(facet.value(result.variant))}" for facet in FACETS]
    return ", ".join((*facets, f"repetition {row['session']}"))


def _started(run: Run) -> dict[str, str]:
    return {"start_time": run.started} if _TIME.fullmatch(run.started) else {}


def _text(text: str) -> str:
    return neutral(text)


EXPORTER = Exporter(
    "kcidb", "KernelCI's common report: a test for each figure, with number and unit (origin rtstone)", _write
)
