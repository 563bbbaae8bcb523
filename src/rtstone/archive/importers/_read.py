# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns files into runs: finds each file's tool, reads the file by its importer, and makes a run of the content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from rtstone.archive.importers._model import Importer, Options, Reading, SourceFile, importers
from rtstone.errors import InfrastructureError, UsageError
from rtstone.model import Losses, Note, Result, Run, Session, sense
from rtstone.version import __version__

MOST_BYTES = 256 << 20
"""The largest file (bytes) that is read into memory. No output of these tools is larger."""

_LOSS = Note("environment", "loss", "samples that the tool skipped or lost are in no figure: it does not count them")

Found = tuple[Run, tuple[bytes, ...]]
"""A run, and for each of its sessions the bytes of its file; empty for a file's second and later sessions."""


def read(path: Path, tool: Importer | None = None, *, options: Options | None = None, label: str = "") -> Found:
    """The run of a file. Raises InfrastructureError, naming file and line, for content that no importer (or not `tool`)
    can read."""
    return read_together([path], tool, options=options, label=label)


def read_together(
    paths: Sequence[Path], tool: Importer | None = None, *, options: Options | None = None, label: str = ""
) -> Found:
    """One run from several files, which are repetitions of one measurement in the given order. Raises UsageError for
    files of several tools."""
    sources = [_source(path) for path in paths]
    found = [_tool(source, tool) for source in sources]
    if len({importer.name for importer in found}) > 1:
        raise UsageError(f"--together takes files of one tool, not of {', '.join(sorted({i.name for i in found}))}")
    readings = [i.read(source, options or Options()) for i, source in zip(found, sources, strict=True)]
    digest = hashlib.sha256(b"".join(hashlib.sha256(source.data).digest() for source in sources)).hexdigest()
    changed = datetime.fromtimestamp(min(path.stat().st_mtime for path in paths), UTC).isoformat(timespec="seconds")
    started = min((r.started for r in readings if r.started), default=changed)
    ended = max((r.ended for r in readings if r.ended), default=started)
    sessions: list[Session] = []
    logs: list[bytes] = []
    for source, reading in zip(sources, readings, strict=True):
        for results in reading.sessions:
            sessions.append(_session(found[0], reading, results, len(sessions), digest))
            logs.append(source.data if results is reading.sessions[0] else b"")
    facts = {"import.tool": found[0].name, "import.version": _either(r.version for r in readings)}
    facts["import.files"] = ", ".join(Path(source.name).name for source in sources)
    facts["import.sha256"] = ", ".join(hashlib.sha256(source.data).hexdigest() for source in sources)
    facts["import.time"] = "the tool's" if any(r.started for r in readings) else "when the file was last changed"
    for reading in readings:
        facts |= reading.facts
    run = Run(
        id=f"imported-{digest[:12]}",  # the same files always make the same run, whatever their names and times
        started=started,
        ended=ended,
        target=f"imported:{found[0].name}",
        label=label or f"{found[0].name} {Path(sources[0].name).name}",
        studies=(),
        profile="imported",
        seed=0,
        tool=__version__,
        host={name: value for name, value in facts.items() if value},
        sessions=tuple(sessions),
        status="complete",
        degraded=tuple(dict.fromkeys(loss for reading in readings for loss in reading.losses)),
        planned=len(sessions),
    )
    wrong = sense.fault(run)
    if wrong is not None:
        raise InfrastructureError(f"{', '.join(source.name for source in sources)}: this makes no sense: {wrong}")
    return run, tuple(logs)


def _source(path: Path) -> SourceFile:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InfrastructureError(f"{path}: {path.stat().st_size} bytes are more than any of these tools writes")
        data = path.read_bytes()
    except OSError as error:
        raise InfrastructureError(f"{path}: {error.strerror}") from error
    if not data.strip():
        raise InfrastructureError(f"{path}:1: the file is empty")
    return SourceFile(str(path), data)


def _tool(source: SourceFile, wanted: Importer | None) -> Importer:
    if wanted is not None and wanted.recognises(source):
        return wanted
    known = importers()
    fitting = [importer for importer in known if importer.recognises(source)]
    names = ", ".join(importer.name for importer in fitting)
    if wanted is not None:
        raise source.wrong(
            1, f"this is no output of {wanted.name}" + (f"; it looks like that of {names}" if names else "")
        )
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise source.wrong(1, f"this may be of {names}: say which with --tool")
    first = next((n for n, line in enumerate(source.lines, 1) if line.strip()), 1)
    shown = source.lines[first - 1].strip()[:60]
    raise source.wrong(first, f"no importer knows this: '{shown}'; there are {', '.join(i.name for i in known)}")


def _session(tool: Importer, reading: Reading, results: tuple[Result, ...], repetition: int, digest: str) -> Session:
    return Session(
        nonce=digest[:16],
        engine=f"{tool.name} {reading.version}".strip(),
        port="imported",
        stream_version="1.0",
        repetition=repetition,
        seed=0,
        env=reading.env,
        clocks=(reading.clock,),
        calibrations=(),
        degraded=reading.losses,
        results=tuple(msgspec.structs.replace(r, notes=(*r.notes, _LOSS)) if r.count else r for r in results),
        losses=Losses(),
        complete=True,
        lines=0,
    )


def _either(words: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(filter(None, words)))
