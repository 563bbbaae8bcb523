# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The tables at the end of a report: the origin of its figures, and losses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from rtstone.model import Clock, Losses, Run
from rtstone.model.units import count, duration, frequency, in_column
from rtstone.model.variant import words

_MOST_CONSOLE_LINES = 400

NOT_SAID = "\N{EN DASH}"
"""The cell of a fact that a run did not record."""


class ProvenanceLine(msgspec.Struct, frozen=True):
    """A line of cells; the first one is a heading. `differs`: the line needs attention, and is highlighted."""

    cells: tuple[str, ...]
    differs: bool = False


class ProvenanceTable(msgspec.Struct, frozen=True):
    """A plain table."""

    title: str
    headings: tuple[str, ...]
    lines: tuple[ProvenanceLine, ...]
    how: str = ""
    numbers: bool = False


class Console(msgspec.Struct, frozen=True):
    """The text that a target printed between its records."""

    title: str
    count: str
    text: str


def provenance(runs: Sequence[Run], labels: Sequence[str]) -> tuple[ProvenanceTable, ...]:
    """Environment of the targets and the host, sessions, clocks and the instrument's own cost."""
    grids = (
        ProvenanceTable("Targets", ("", *labels), _facts([_environment(run) for run in runs])),
        ProvenanceTable("Runs", ("", *labels), _facts([_run_facts(run) for run in runs])),
        ProvenanceTable(
            "Hosts", ("", *labels), _facts([dict(run.host) for run in runs]), "The machine that gave the commands."
        ),
        _clocks(runs, labels),
        _calibrations(runs, labels),
        _loads(runs, labels),
    )
    return tuple(grid for grid in grids if grid.lines)


def losses(runs: Sequence[Run], labels: Sequence[str]) -> ProvenanceTable:
    """The losses by kind, one line a session."""
    kinds = Losses.__struct_fields__
    lines = []
    for run, label in zip(runs, labels, strict=True):
        for number, session in enumerate(run.sessions, 1):
            cells = [_text(getattr(session.losses, kind)) for kind in kinds]
            dropped = sum(result.dropped for result in session.results)
            overflow = sum(result.overflow for result in session.results)
            cells += [count(dropped), count(overflow)]
            differs = not session.losses.none or dropped > 0 or not session.complete
            lines.append(ProvenanceLine((_session_name(label, number, run), *cells), differs))
    headings = ("session", *(kind.replace("_", " ") for kind in kinds), "dropped samples", "beyond the histogram")
    return ProvenanceTable("Losses", headings, tuple(lines), numbers=True)


def problems(runs: Sequence[Run], labels: Sequence[str]) -> tuple[str, ...]:
    """One sentence for each reason why a session is incomplete, and for each count outside its limits."""
    found = []
    for run, label in zip(runs, labels, strict=True):
        before = f"{label}: " if len(runs) > 1 else ""
        for session in run.sessions:
            found += [f"{before}{problem}" for problem in session.problems]
            for result in session.results:
                found += [
                    f"{before}{result.quantity}: {c.name} is {c.value}, but must lie between {c.low} and {c.high}"
                    for c in result.checks
                    if not c.holds
                ]
    return tuple(found)


def consoles(runs: Sequence[Run], labels: Sequence[str]) -> Iterator[Console]:
    """The text between the records of each session; of a long text only the last lines."""
    for run, label in zip(runs, labels, strict=True):
        for number, session in enumerate(run.sessions, 1):
            if session.console:
                shown = "\n".join(session.console[-_MOST_CONSOLE_LINES:])
                yield Console(_session_name(label, number, run), count(len(session.console)), shown)


def _session_name(label: str, number: int, run: Run) -> str:
    return f"{label}, session {number}" if len(run.sessions) > 1 else label


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return count(value) if isinstance(value, int) else str(value)


def _facts(columns: Sequence[dict[str, str]]) -> tuple[ProvenanceLine, ...]:
    """A line for each key, a column for each run."""
    keys = dict.fromkeys(key for facts in columns for key in facts)
    lines = []
    for key in keys:
        cells = tuple(facts.get(key, NOT_SAID) for facts in columns)
        lines.append(ProvenanceLine((key, *cells), len(set(cells)) > 1))
    return tuple(lines)


def _environment(run: Run) -> dict[str, str]:
    """The facts on the target from all sessions. A fact that changed between sessions has all its values."""
    said: dict[str, dict[str, None]] = {}
    for session in run.sessions:
        for key, value in session.env.items():
            said.setdefault(key, {})[value] = None
    return {key: " / ".join(values) for key, values in sorted(said.items())}


def _run_facts(run: Run) -> dict[str, str]:
    sessions = run.sessions
    facts = {
        "run": run.id,
        "group": run.group,
        "target": run.target,
        "profile": run.profile,
        "seed": str(run.seed),
        "started": run.started,
        "ended": run.ended,
        "tool": f"rtstone {run.tool}",
        "engine": _joined(f"{s.engine} on port {s.port}" for s in sessions),
        "record stream": _joined(s.stream_version for s in sessions),
        "sessions": str(len(sessions)),
        "nonces": _joined(s.nonce for s in sessions),
    }
    return {key: value for key, value in facts.items() if value}


def _joined(values: Iterator[str]) -> str:
    return ", ".join(dict.fromkeys(values))


def _clocks(runs: Sequence[Run], labels: Sequence[str]) -> ProvenanceTable:
    lines: list[ProvenanceLine] = []
    for run, label in zip(runs, labels, strict=True):
        found: dict[tuple[str, str], list[Clock]] = {}
        for session in run.sessions:
            for clock in session.clocks:
                found.setdefault((clock.name, clock.source), []).append(clock)
        for (name, source), same in found.items():
            lines.append(ProvenanceLine((label, name, *_rates(same), source)))
    headings = ("run", "clock", "rate", "quantum", "resolution", "uncertainty", "rate known from")
    return ProvenanceTable("Clocks", headings, tuple(lines))


def _rates(clocks: Sequence[Clock]) -> Iterator[str]:
    """Rate, quantum, resolution and uncertainty of one clock. Each session may have calibrated it again."""
    ordered = sorted(clocks, key=lambda c: c.hz)
    low, c, high = ordered[0], ordered[len(ordered) // 2], ordered[-1]
    rate = frequency(c.hz)
    if low.hz > 0 and (rates := len({clock.hz for clock in clocks})) > 1:
        rate += f" ({rates} rates, {(high.hz / low.hz - 1) * 1e6:.3g} ppm apart)"
    yield rate
    yield duration(c.ns(1)) if c.hz > 0 else NOT_SAID
    known = c.resolution_ticks is not None and c.hz > 0
    yield duration(c.ns(c.resolution_ticks or 0)) if known else NOT_SAID
    stated = max(clock.uncertainty_ppb for clock in clocks)
    yield f"{stated / 1000:g} ppm" if stated else NOT_SAID


def _calibrations(runs: Sequence[Run], labels: Sequence[str]) -> ProvenanceTable:
    lines = []
    for run, label in zip(runs, labels, strict=True):
        for number, session in enumerate(run.sessions, 1):
            for c in session.calibrations:
                hz = next((clock.hz for clock in session.clocks if clock.id == c.clock), 0)
                if hz > 0:
                    costs = [in_column(v * 1e9 / hz) for v in (c.min, c.median, c.max)]
                    cells = (f"{_session_name(label, number, run)}: {c.name}", count(c.count), *costs)
                    lines.append(ProvenanceLine(cells))
    headings = ("what", "readings", "min (ns)", "median (ns)", "max (ns)")
    how = "What the instrument itself costs. It is contained in the figures above and not subtracted."
    return ProvenanceTable("Cost of the instrument", headings, tuple(lines), how, numbers=True)


def _loads(runs: Sequence[Run], labels: Sequence[str]) -> ProvenanceTable:
    lines: dict[ProvenanceLine, None] = {}
    for run, label in zip(runs, labels, strict=True):
        for result in run.results():
            for f in result.load:
                what = f"{label}: {result.quantity}, {words(result.variant)}"
                lines[ProvenanceLine((what, f.load, f.key, count(f.value)))] = None
    how = "What each load stated and what it achieved while the measurement ran."
    return ProvenanceTable("Loads", ("during", "load", "figure", "value"), tuple(lines), how, numbers=True)
