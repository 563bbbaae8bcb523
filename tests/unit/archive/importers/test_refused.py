# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Truncated files, unknown versions and other tools' files end in one line that names file and line; nothing else comes out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rtstone.archive.importers import Options, named, read
from rtstone.errors import InfrastructureError, RtstoneError

DATA = Path(__file__).parents[3] / "data" / "imports"
FILES = tuple(sorted(path.name for path in DATA.iterdir() if path.name != "README.md"))
OPTIONS = Options(tick_ns=1.0)


def _refused(path: Path, data: bytes | str, match: str = "", tool: str = "") -> None:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    with pytest.raises(InfrastructureError) as refused:
        read(path, named(tool) if tool else None, options=OPTIONS)
    said = str(refused.value)
    found = re.match(rf"{re.escape(str(path))}:(\d+): ", said)
    assert found is not None, said
    assert 1 <= int(found[1]) <= len(path.read_bytes().split(b"\n"))
    assert match in said


@pytest.mark.parametrize("name", FILES)
def test_truncated(name: str, tmp_path: Path) -> None:
    """Cut in the middle of its last figures, of its body, and within its head."""
    data = (DATA / name).read_bytes().rstrip()
    last = {"thread-metric.txt": -9, "cyclictest-h.txt": -150, "cyclictest-H.txt": -220, "timerlat.txt": -30}
    cuts = [len(data) * 6 // 10, len(data) * 3 // 10]
    if name.startswith("thread-metric"):
        cuts = [data.index(b"Total:  1048570") + 3]
    elif name not in {"cyclictest-q.txt", "stress-ng-no-dist.txt", "stress-ng.txt"}:
        cuts.append(len(data) + last.get(name, -4))
    if name == "cyclictest-q.txt":
        cuts = [len(data) - 15]
    for cut in cuts:
        _refused(tmp_path / name, data[:cut])


@pytest.mark.parametrize("name", FILES)
def test_another_tools_file(name: str, tmp_path: Path) -> None:
    data = (DATA / name).read_bytes()
    own = read(DATA / name, options=OPTIONS)[0].host["import.tool"]
    other = "oslat" if own != "oslat" else "cyclictest"
    _refused(tmp_path / name, data, f"no output of {other}; it looks like that of {own}", other)


def test_no_tools_file(tmp_path: Path) -> None:
    _refused(tmp_path / "a.txt", "\n\nhello world\n", "a.txt:3: no importer knows this: 'hello world'")
    _refused(tmp_path / "b.txt", b"\x00\xff\xfe" * 100, "no importer knows this")
    _refused(tmp_path / "empty.txt", "\n", "the file is empty")
    with pytest.raises(InfrastructureError, match="No such file"):
        read(tmp_path / "not-there.txt")


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("cyclictest.json", '"file_version": 1', '"file_version": 2', ":2: file version 2 is unknown; this reads 1"),
        ("oslat.json", '"file_version": 1', '"file_version": 7', ":2: file version 7 is unknown"),
        ("jitterdebugger.json", '"version": 3', '"version": 9', ":2: version 9 of the file is unknown; this reads 3"),
        ("iperf3-tcp.json", '"iperf 3.12"', '"iperf 3"', "version 'iperf 3' is unknown"),
        ("iperf3-tcp.json", '"protocol":\t"TCP"', '"protocol":\t"SCTP"', "protocol 'sctp' is unknown"),
        ("timerlat.txt", "microseconds (us)", "fortnights", ":2: an unknown unit of time"),
        ("timerlat.txt", "Thr-001", "Foo-001", ":4: an unknown column: 'Foo'"),
        (
            "timerlat.txt",
            "count:    10003",
            "count:    10004",
            ":4: IRQ of CPU 0: the bins hold 10 003 samples, the tool counts 10 004",
        ),
        (
            "cyclictest-h.txt",
            "# Total: 000001999",
            "# Total: 000001998",
            "thread 0: the bins hold 2000 samples, the tool counts 1999",
        ),
        ("cyclictest-h.txt", "000003 000000", "000007 000000", ":6: row 7 stands where 3 belongs"),
        ("cyclictest.json", '"cycles": 2000', '"cycles": 20', "the histogram holds"),
        ("oslat.txt", "Minimum:\t 1 (us)", "Minimum:\t 9 (us)", "there are samples from 1 to"),
        (
            "stress-ng.txt",
            "10000        469",
            "10000      90469",
            "the distribution holds 100 000 samples, the tool counts 10 000",
        ),
        ("latency-measure.txt", "SUCCESSFUL", "FAILED", "the benchmark failed"),
        (
            "thread-metric.txt",
            "Time Period Total:  1048570",
            "ERROR: Invalid counter value(s).",
            ":5: the program found fault with itself",
        ),
        ("rtems-rhealstone.txt", "Deadlock Break", "Task switch", "stands in the file twice"),
    ],
)
def test_unknown_versions_and_figures_that_contradict_each_other(
    name: str, old: str, new: str, said: str, tmp_path: Path
) -> None:
    text = (DATA / name).read_text()
    assert old in text
    _refused(tmp_path / name, text.replace(old, new, 1), said)


def test_an_hdrhistogram_log_that_is_damaged(tmp_path: Path) -> None:
    head = "#[Histogram log format version 1.3]\n"
    _refused(
        tmp_path / "a.hlog",
        "#[Histogram log format version 2.0]\n0.1,1.0,5.0,HIST\n",
        ":1: version 2.0 of the log is unknown",
    )
    _refused(
        tmp_path / "b.hlog",
        head + "0.1,1.0,5.0,HISTFAAAABl42pNpmSzMwMDAxA\n",
        ":2: the histogram of this line is truncated",
    )
    _refused(tmp_path / "c.hlog", head, "the file ends before the first histogram")


def test_an_error_of_iperf3(tmp_path: Path) -> None:
    document = json.loads((DATA / "iperf3-tcp.json").read_text()) | {"error": "unable to connect"}
    _refused(tmp_path / "a.json", json.dumps(document, indent=1), "iperf3 ended with an error: unable to connect")


@settings(
    max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None
)
@given(
    name=st.sampled_from(FILES),
    where=st.floats(0, 1),
    length=st.integers(0, 40),
    what=st.one_of(
        st.binary(max_size=8),
        st.sampled_from([b"-1", b"1e999", b"9" * 30, b"null", b"{}", b"[]", b'"x"', b"\n", b"NaN"]),
    ),
)
def test_whatever_is_put_into_a_file(name: str, where: float, length: int, what: bytes, tmp_path: Path) -> None:
    """A run whose every result has its samples in order, or one clear line."""
    data = (DATA / name).read_bytes()
    at = int(where * len(data))
    path = tmp_path / "mutated"
    path.write_bytes(data[:at] + what + data[at + length :])
    try:
        run, _ = read(path, options=OPTIONS)
    except RtstoneError:
        return
    for result in run.results():
        assert result.histogram is None or result.histogram.count == result.count
        assert result.status == "skipped" or result.count >= 1
        assert result.sumsq * result.count >= result.sum**2
