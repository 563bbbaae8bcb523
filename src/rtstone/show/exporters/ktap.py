# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""KTAP, as the kernel's own tests print it (Documentation/dev-tools/ktap.rst): a subtest a run, a line a result.

Figures are diagnostic lines. KTAP has only pass, fail and skip. A measured result is `ok`, whatever its figures;
`rtstone check` judges bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rtstone.model import Result, Run
from rtstone.model.text import neutral
from rtstone.model.variant import FACETS
from rtstone.show.exporters._model import Exporter
from rtstone.show.exporters._rows import TIMES, Value, rows


def _write(runs: Sequence[Run]) -> bytes:
    lines = ["KTAP version 1", f"1..{len(runs)}"]
    for number, run in enumerate(runs, 1):
        results = tuple(rows([run]))
        lines += ["  KTAP version 1", f"  1..{len(results)}"]
        for position, (row, result, _) in enumerate(results, 1):
            lines += [f"  {line}" for line in _result(position, row, result)]
        bad = run.status != "complete" or any(result.status not in {"ok", "skipped"} for _, result, _ in results)
        why = f" # the run is {run.status}" if run.status != "complete" else ""
        lines.append(f"{'not ok' if bad else 'ok'} {number} {_name(f'{run.id} {run.target}')}{why}")
    return ("\n".join(lines) + "\n").encode()


def _result(position: int, row: dict[str, Value], result: Result) -> Iterator[str]:
    figures = [f"{name.removesuffix('_ns')}={row[name]:.6g}" for name in TIMES if row[name] is not None]
    if figures:
        yield f"# samples={result.count} {' '.join(figures)} ns"
    facets = [
        f"{facet.key}={facet.text(facet.value(result.variant))}"
        for facet in FACETS
        if facet.value(result.variant) != facet.usual
    ]
    name = _name(" ".join((result.measurement, result.quantity, *facets, f"repetition={row['session']}")))
    said = _name(result.text or result.reason or result.status)
    if result.status == "skipped":
        yield f"ok {position} {name} # SKIP {said}"
    elif result.status == "ok":
        yield f"ok {position} {name}"
    else:
        yield f"# {result.status}: {said}"
        yield f"not ok {position} {name}"


def _name(text: str) -> str:
    """A name without `#` and line ends: `#` would begin a directive, a line end another result."""
    return " ".join(neutral(text).replace("#", "_").split())


EXPORTER = Exporter("ktap", "the kernel's test protocol: a line a result, figures as diagnostics", _write)
