# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An HdrHistogram log (V1.3): a line for each histogram, tagged with its quantity and circumstances; values in nanoseconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from rtstone.errors import InfrastructureError
from rtstone.model import Clock, Result, Run
from rtstone.model.units import counted
from rtstone.model.variant import FACETS
from rtstone.show.exporters._model import Exporter
from rtstone.show.exporters._rows import clock_of

_DIGITS = 3
_MOST = (1 << 53) - 1


def _write(runs: Sequence[Run]) -> bytes:
    lines = ["#[Histogram log format version 1.3]"]
    said: list[str] = []
    for run in runs:
        began = datetime.fromisoformat(run.started).timestamp()
        said.append(f"#[StartTime: {began:.3f} (seconds since epoch), {run.started}]")
        said.append(f"#[run {_word(run.id)}, target {_word(run.target)}, kernel {_word(run.kernel())}; values in ns]")
        for number, session in enumerate(run.sessions):
            for result in session.results:
                clock = clock_of(session, result)
                if result.histogram is None or clock is None or result.status != "ok":
                    continue
                seconds = result.elapsed / clock.hz
                # Each repetition starts one second after the one before.
                said += _lines(result, clock, float(number), seconds)
    if not any(line.startswith("Tag=") for line in said):
        raise InfrastructureError("there is no histogram in it: averages of sets do not go into a log of HdrHistogram")
    return ("\n".join([*lines, *said]) + "\n").encode("ascii")


def _lines(result: Result, clock: Clock, start: float, seconds: float) -> Iterator[str]:
    """The lines of one result. V2 has no negative values: their magnitudes form a second histogram, as in the archive.

    Overflow is in no histogram; a comment line reports it.
    """
    sides: dict[str, Counter[int]] = {"": Counter(), ".negative": Counter()}
    assert result.histogram is not None  # noqa: S101 - the caller's own condition
    for bucket in result.histogram.buckets():
        side, high = ("", bucket.high) if bucket.high >= 0 else (".negative", -bucket.low)
        if side == "" and result.max is not None:
            high = min(high, result.max)
        sides[side][min(_MOST, round(clock.ns(high) / result.ops))] += bucket.count
    tag = _tag(result)
    if result.histogram.overflow:
        yield f"#[{tag}: beyond the buckets and in no histogram: {counted(result.histogram.overflow, 'sample')}]"
    for side, counts in sides.items():
        if counts:
            yield f"Tag={tag}{side},{start:.3f},{seconds:.3f},{max(counts) / 1e6:.3f},{_payload(counts)}"


def _payload(counts: Counter[int]) -> str:
    try:
        from hdrh.histogram import HdrHistogram
    except ModuleNotFoundError as error:
        raise InfrastructureError("logs of HdrHistogram need hdrhistogram: pip install 'rtstone[hdr]'") from error

    histogram = HdrHistogram(1, max(2, 1 << (max(counts) + 1).bit_length()), _DIGITS)
    for value, count in counts.items():
        if not histogram.record_value(value, count):
            raise InfrastructureError(f"HdrHistogram does not hold {value} ns")
    encoded: bytes = histogram.encode()
    return encoded.decode("ascii")


def _tag(result: Result) -> str:
    """A tag that distinguishes histograms: quantity, load, and every other circumstance that is not the usual one."""
    v = result.variant
    words = [result.quantity, *([v.load] if v.load != "none" else [])]
    for facet in FACETS:
        if facet.name not in {"pass_", "load"} and facet.value(v) != facet.usual:
            words.append(f"{facet.key}={facet.value(v)}")
    return ".".join(map(_word, words))


def _word(text: str) -> str:
    """A word without characters that end a tag (commas, blanks) or that are not ASCII, as the log requires."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_:/.+") else "_" for c in text)


EXPORTER = Exporter("hdr", "a log of HdrHistogram, values in nanoseconds", _write)
