# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads iperf3 --json: the average time of a block or datagram, the data moved and lost, and the CPU used."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from rtstone.archive.importers._json import Members, decode, line_of, looks_like
from rtstone.archive.importers._model import Importer, Options, Reading, SourceFile
from rtstone.archive.importers._series import NANOSECONDS, Disagreement, average
from rtstone.model import Degraded, Figure, Result, Variant

_NAME = "iperf3"
_LOSSES = (
    Degraded("import-averages", "iperf3 tells averages: no single block's time, no distribution"),
    Degraded("import-cpu-share", "CPU use is told as a share of the time, not as time of the process"),
)


def _recognises(source: SourceFile) -> bool:
    return looks_like(source) and re.search(r'"version"\s*:\s*"iperf 3', source.text[:4096]) is not None


def _read(source: SourceFile, _: Options) -> Reading:
    document = Members(source, decode(source), "document")
    if document.text("error"):
        raise source.wrong(line_of(source, "error"), f"iperf3 ended with an error: {document.text('error')[:100]}")
    start, end = document.child("start"), document.child("end")
    found = re.fullmatch(r"iperf (3\.[\w.+-]+)", start.text("version"))
    if found is None:
        raise source.wrong(
            line_of(source, "version"), f"version '{start.text('version')[:40]}' is unknown; this reads iperf 3"
        )
    test = start.child("test_start")
    protocol = test.text("protocol").lower()
    if protocol not in {"tcp", "udp"}:
        raise source.wrong(
            line_of(source, "protocol"), f"protocol '{protocol[:20]}' is unknown; this reads TCP and UDP"
        )
    size = test.whole("blksize")
    results: list[Result] = []
    for name, side in (("sum_sent", "sent"), ("sum_received", "received")):
        total = end.child(name)
        moved = total.whole("bytes")
        if size < 1 or moved < size:
            raise source.wrong(line_of(source, name), f"{moved} bytes are less than a block of {size}")
        try:
            results.append(
                average(
                    f"{protocol}-{side}",
                    _NAME,
                    round(total.number("seconds") * 1e9),
                    round(moved / size),
                    item=len(results),
                    figures=_figures(end, total, side, moved),
                    variant=Variant(pass_="batch", sched="ts"),  # noqa: S106 - a pass, no password
                )
            )
        except Disagreement as error:
            raise source.wrong(line_of(source, name), str(error)) from error
    stamp = start.maybe("timestamp")
    began = _utc(stamp.values.get("timesecs"))
    finished = _utc((stamp.values.get("timesecs") or 0) + end.child("sum_sent").number("seconds")) if began else ""
    words = start.text("system_info").split()
    env = dict(zip(("kernel.sysname", "", "kernel.release"), words, strict=False)) if len(words) >= 3 else {}
    env.pop("", None)
    facts = {"import.block_bytes": str(size), "import.streams": str(test.whole("num_streams"))}
    if test.values.get("target_bitrate"):
        facts["import.target_bitrate"] = str(test.values["target_bitrate"])
    return Reading(found[1], (tuple(results),), NANOSECONDS, _LOSSES, env, facts, began, finished)


def _figures(end: Members, total: Members, side: str, moved: int) -> tuple[Figure, ...]:
    figures = [Figure("bytes", "B", moved)]
    for key, name, unit in (
        ("packets", "datagrams", "1"),
        ("lost_packets", "datagrams_lost", "1"),
        ("retransmits", "retransmits", "1"),
    ):
        if key in total.values:
            figures.append(Figure(name, unit, total.whole(key)))
    cpu = end.maybe("cpu_utilization_percent")
    key = "host_total" if side == "sent" else "remote_total"
    if key in cpu.values:
        figures.append(Figure("cpu_share", "ppm", round(cpu.number(key) * 1e4)))
    return tuple(figures)


def _utc(seconds: object) -> str:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < 1e11:
        return ""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


IMPORTER = Importer(_NAME, "TCP and UDP: --json of either end", _recognises, _read)
