# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of real tools are imported with every sample accounted for.

tests/data/imports/README.md lists the recorded ones.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rtstone.archive.importers import Options, named, read, read_together
from rtstone.errors import UsageError
from rtstone.model import Result, Run
from rtstone.stats import percentile

DATA = Path(__file__).parents[3] / "data" / "imports"


def _run(name: str, **options: float) -> Run:
    return read(DATA / name, options=Options(**options))[0]


def _one(run: Run, quantity: str) -> Result:
    (found,) = [result for result in run.results() if result.quantity == quantity]
    return found


@pytest.mark.parametrize("name", ["cyclictest-h.txt", "cyclictest.json"])
def test_cyclictest_by_text_and_by_json_tells_the_same(name: str) -> None:
    run = _run(name)
    first, second = run.results()
    assert (run.target, run.host["import.tool"]) == ("imported:cyclictest", "cyclictest")
    assert [(r.count, r.overflow, r.min, r.max) for r in (first, second)] == [(2000, 1, 5, 1265), (2000, 5, 6, 2030)]
    assert first.histogram is not None
    assert first.histogram.count == 2000
    # The text's rows 10, 11 and 12 of thread 0.
    assert [n for index, n in first.histogram.positive if index in (10, 11, 12)] == [355, 461, 297]
    assert percentile(first.histogram, 50, minimum=first.min, maximum=first.max) == 11
    told = {loss.reason for loss in run.degraded}
    assert {"import-skipped-periods", "import-order"} <= told
    assert ("import-unit" in told) == name.endswith(".txt")
    assert any("beyond" in note.text for note in second.notes)


def test_cyclictest_tells_by_json_who_measured_what() -> None:
    run = _run("cyclictest.json")
    (session,) = run.sessions
    assert session.engine == "cyclictest 2.40"
    assert session.env["kernel.release"].startswith("6.18.")
    assert run.started == "2026-11-22T00:44:00+00:00"
    assert [(r.cpu, r.priority, r.variant.period_ns) for r in run.results()] == [(0, 80, 500_000), (1, 80, 500_000)]
    # One sample beyond: the sum is exact, and the tool's own mean agrees with it.
    assert run.results()[0].sum / 2000 == pytest.approx(12.69, abs=0.006)
    assert run.results()[1].sum / 2000 == pytest.approx(14.91, abs=0.001)


def test_the_summary_column_of_capital_h_is_no_thread() -> None:
    assert [(r.count, r.overflow, r.max) for r in _run("cyclictest-H.txt").results()] == [
        (1500, 3, 2145),
        (1500, 6, 2100),
    ]


def test_cyclictest_in_nanoseconds_and_without_a_histogram() -> None:
    (fine,) = _run("cyclictest-N.json").results()
    assert (_run("cyclictest-N.json").sessions[0].clocks[0].hz, fine.min, fine.max) == (10**9, 5713, 161_444)
    assert (fine.count, fine.overflow) == (500, 2)
    run = _run("cyclictest-q.txt")
    (short,) = run.results()
    assert (short.count, short.min, short.max, short.histogram, short.variant.period_ns) == (500, 5, 935, None, 500_000)
    assert "import-no-histogram" in {loss.reason for loss in run.degraded}


@pytest.mark.parametrize("name", ["oslat.txt", "oslat.json"])
def test_oslat(name: str) -> None:
    run = _run(name)
    (result,) = run.results()
    assert (result.count, result.overflow, result.min, result.max, result.cpu) == (12_349_135, 521, 1, 28_135, 1)
    assert result.histogram is not None
    assert result.histogram.positive[:2] == ((1, 12_347_968), (2, 9))
    assert result.elapsed == 1_997_000
    assert result.sum / result.count == pytest.approx(1.122, abs=0.001)


def test_jitterdebugger() -> None:
    late, whole = _run("jitterdebugger.json").results()
    assert (late.count, late.overflow, late.max, whole.count, whole.overflow, whole.max) == (1500, 5, 1967, 1500, 0, 42)
    assert whole.sum / 1500 == pytest.approx(11.48, abs=0.005)


def test_stress_ng() -> None:
    run = _run("stress-ng.txt")
    (result,) = run.results()
    assert (result.count, result.overflow, result.min, result.max) == (10_000, 0, 5126, 396_682)
    assert (result.variant.sched, result.variant.period_ns) == ("rt", 100_000)
    assert result.sum == 92_008_700
    assert {"import-bins", "import-first-samples"} <= {loss.reason for loss in run.degraded}
    assert result.histogram is not None
    # The tool's own percentiles lie within a bin of ours.
    for percent, told in ((50, 7891), (95.4, 16_592), (99, 30_814), (99.9, 94_460)):
        found = percentile(result.histogram, percent, minimum=result.min, maximum=result.max)
        assert found is not None
        assert told <= found <= told + 5000 + 64
    (short,) = _run("stress-ng-no-dist.txt").results()
    assert (short.count, short.min, short.max, short.histogram) == (7753, 4183, 6_401_089, None)


def test_iperf3() -> None:
    sent, received = _run("iperf3-tcp.json").results()
    assert (sent.quantity, sent.ops, sent.batches) == ("tcp-sent", 10_050, (2_002_966_000,))
    figures = {f.name: f.value for f in sent.figures}
    assert figures == {"bytes": 1_317_273_600, "retransmits": 39, "cpu_share": 67_479}
    assert {f.name: f.value for f in received.figures}["bytes"] == 1_309_933_568
    udp = _one(_run("iperf3-udp.json"), "udp-received")
    assert {f.name: f.value for f in udp.figures} == {
        "bytes": 11_829_248,
        "datagrams": 382,
        "datagrams_lost": 21,
        "cpu_share": 4521,
    }


def test_rtla() -> None:
    run = _run("timerlat.txt")
    assert [r.quantity for r in run.results()] == [
        *("timer-interrupt-cpu-0", "timer-thread-cpu-0", "timer-interrupt-cpu-1", "timer-thread-cpu-1"),
    ]
    interrupt = run.results()[0]
    assert (interrupt.count, interrupt.overflow, interrupt.min, interrupt.max) == (10_003, 2, 0, 17)
    noise = _run("osnoise.txt").results()
    assert [(r.count, r.max) for r in noise] == [(55_215, 39), (54_649, 39)]
    assert noise[0].histogram is not None
    # A sample of a bin of 10 µs is at most at its end.
    assert [bucket.high for bucket in noise[0].histogram.buckets()] == [9, 19, 29, 39]


def test_consoles_of_boards() -> None:
    zephyr = _run("latency-measure.txt")
    assert zephyr.kernel() == "Zephyr zephyr-v3.5.0-4267-g6ccdc31233a3"
    assert _one(zephyr, "thread-create-kernel-from-kernel").batches == (3374,)
    metric = _run("thread-metric.txt")
    assert [(len(s.results), s.results[0].ops, s.results[0].batches) for s in metric.sessions] == [
        (1, total, (30 * 10**9,)) for total in (1_048_576, 1_048_570, 1_048_581)
    ]
    rtems = _run("rtems-rhealstone.txt", tick_ns=20.0)
    assert (rtems.sessions[0].clocks[0].hz, rtems.kernel()) == (50_000_000, "RTEMS 6.1.0")
    assert {r.quantity: r.sum for r in rtems.results()} == {"task-switch": 1234, "deadlock-break": 8765}
    with pytest.raises(UsageError, match=r"does not tell the unit.*--tick"):
        _run("rtems-rhealstone.txt")


def test_hdrhistogram_logs_round_trip(tmp_path: Path) -> None:
    """The library writes, we read: every count, and each value to three figures."""
    from hdrh.histogram import HdrHistogram
    from hdrh.log import HistogramLogWriter

    path = tmp_path / "log.hlog"
    values = [*range(1, 2000), 123_456, 9_876_543]
    with path.open("w") as file:
        writer = HistogramLogWriter(file)
        writer.output_log_format_version()
        writer.output_legend()
        for scale in (1, 2):
            histogram = HdrHistogram(1, 3_600_000_000_000, 3)
            histogram.set_start_time_stamp(1_700_000_000_000)
            histogram.set_end_time_stamp(1_700_000_001_000)
            for value in values:
                histogram.record_value(value * scale)
            writer.output_interval_histogram(histogram)
    run, _ = read(path)
    assert [len(session.results) for session in run.sessions] == [1, 1]
    for scale, result in zip((1, 2), run.results(), strict=True):
        assert result.count == len(values)
        assert result.max == pytest.approx(9_876_543 * scale, rel=1e-3)
        assert result.sum == pytest.approx(sum(values) * scale, rel=1e-3)
    assert "import-unit" in {loss.reason for loss in run.degraded}
    assert read(path, options=Options(tick_ns=1000))[0].sessions[0].clocks[0].hz == 1_000_000


def test_the_same_file_is_the_same_run_wherever_it_lies(tmp_path: Path) -> None:
    copy = tmp_path / "other-name.txt"
    copy.write_bytes((DATA / "oslat.txt").read_bytes())
    assert read(copy)[0].id == _run("oslat.txt").id
    assert read(DATA / "oslat.txt")[1] == ((DATA / "oslat.txt").read_bytes(),)


def test_files_together_are_repetitions() -> None:
    run, logs = read_together([DATA / "cyclictest.json", DATA / "cyclictest-h.txt"])
    assert [session.repetition for session in run.sessions] == [0, 1]
    assert len(logs) == 2
    histograms = {s.results[0].histogram for s in run.sessions}
    assert len(histograms) == 1, "the text and the JSON of one measurement must come out alike"
    with pytest.raises(UsageError, match="one tool, not of cyclictest, oslat"):
        read_together([DATA / "cyclictest.json", DATA / "oslat.json"])


def test_a_tool_that_is_not_known() -> None:
    with pytest.raises(UsageError, match=re.escape("unknown importer 'hackbench'. There are: cyclictest,")):
        named("hackbench")
