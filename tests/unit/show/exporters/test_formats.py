# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Each format, read by its own reader, has the content of the run."""

from __future__ import annotations

import csv
import io
import re
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import pytest

from rtstone.archive.importers import read
from rtstone.errors import InfrastructureError, UsageError
from rtstone.model import Degraded, Note, Run, Variant
from rtstone.show.exporters import exporters, named
from rtstone.stats import percentile
from support.runs import make_result, make_run, make_session, make_values, skipped

VALUES = make_values(4000, typical=5_000, seed=3)
LATENCY = make_result("interrupt-task-response", values=VALUES)
NEGATIVE = make_result("timer-error", item=1, values=[-700, -3, 5, 6, 900])
BATCH = make_result("queue-fill", item=2, variant=Variant(pass_="batch", load="cpu"))
LACKING = skipped("fork", item=3, text='no "fork" here')


def _run(name: str = "20260101T000000-abcd") -> Run:
    results = (LATENCY, NEGATIVE, BATCH, LACKING)
    sessions = tuple(make_session(results, repetition=n) for n in range(2))
    return make_run(name, results=(), sessions=sessions, studies=(), label='a "strange" \\ label', degraded=())


def _written(form: str, *runs: Run) -> bytes:
    return named(form).write(runs or (_run(),))


def test_every_module_of_a_format_is_registered(root: Path) -> None:
    modules = {path.stem for path in (root / "src/rtstone/show/exporters").glob("[a-z]*.py")}
    assert {exporter.name for exporter in exporters()} == modules


def test_every_format_writes_something_of_one_and_of_two_runs() -> None:
    other = _run("20260102T000000-ef01")
    for exporter in exporters():
        assert 0 < len(exporter.write([_run()])) < len(exporter.write([_run(), other]))
    with pytest.raises(UsageError, match=r"unknown exporter 'xlsx'\. There are: csv, hdr"):
        named("xlsx")


def test_json_is_the_run() -> None:
    assert msgspec.json.decode(_written("json"), type=Run) == _run()


def test_csv_has_a_line_for_each_result() -> None:
    lines = list(csv.DictReader(io.StringIO(_written("csv").decode())))
    assert len(lines) == 8
    first = lines[0]
    assert (first["quantity"], first["count"], first["status"]) == ("interrupt-task-response", "4000", "ok")
    assert float(first["max_ns"]) == max(VALUES)
    assert float(first["mean_ns"]) == sum(VALUES) / 4000
    assert LATENCY.histogram is not None
    expected = percentile(LATENCY.histogram, 99, minimum=min(VALUES), maximum=max(VALUES))
    assert float(first["p99_ns"]) == expected
    assert first["p99.99_ns"] == "", "no sample would lie above it"
    assert (lines[3]["status"], lines[3]["max_ns"]) == ("skipped", "")
    mean = BATCH.sum / BATCH.count / BATCH.ops
    assert float(lines[2]["mean_ns"]) == pytest.approx(mean)


def test_csv_has_no_formulas() -> None:
    run = msgspec.structs.replace(_run(), label="=HYPERLINK(1)")
    assert next(csv.DictReader(io.StringIO(_written("csv", run).decode())))["label"] == "'=HYPERLINK(1)"


def test_parquet_has_every_bucket() -> None:
    from pyarrow import parquet

    table = parquet.read_table(io.BytesIO(_written("parquet")))
    found = table.to_pylist()
    assert [row["quantity"] for row in found] == [r.quantity for r in _run().results()]
    assert [sum(row["bucket_count"]) for row in found[:4]] == [4000, 5, 0, 0]
    assert LATENCY.histogram is not None
    assert found[0]["bucket_high_ns"] == [float(b.high) for b in LATENCY.histogram.buckets()]
    assert found[0]["mean_ns"] == sum(VALUES) / 4000
    assert table.schema.metadata[b"rtstone.schema"] == b"rtstone.results 1.0"


def test_parquet_without_its_library_says_what_mends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InfrastructureError, match=re.escape("pip install 'rtstone[parquet]'")):
        _written("parquet")


def test_an_hdrhistogram_log_comes_back(tmp_path: Path) -> None:
    """Out by us, in by the library's own reader, and in by our importer: the same counts."""
    from hdrh.log import HistogramLogReader

    path = tmp_path / "run.hlog"
    path.write_bytes(_written("hdr"))
    run, _ = read(path)
    back = [r for r in run.results() if r.quantity == "interrupt-task-response"]
    assert [r.count for r in back] == [4000, 4000]
    assert back[0].max == pytest.approx(max(VALUES), rel=1e-3)
    assert LATENCY.histogram is not None
    assert back[0].histogram is not None
    for percent in (50, 99, 99.9):
        assert percentile(back[0].histogram, percent) == pytest.approx(percentile(LATENCY.histogram, percent), rel=2e-3)
    assert sum(r.count for r in run.results() if r.quantity.startswith("timer-error")) == 10
    text = path.read_text()
    plain = tmp_path / "untagged.hlog"
    plain.write_text(re.sub(r"(?m)^Tag=[^,]*,", "", text))
    from hdrh.histogram import HdrHistogram

    reader = HistogramLogReader(str(plain), HdrHistogram(1, 3_600_000_000_000, 3))
    first = reader.get_next_interval_histogram()
    reader.input_file.close()
    assert first.get_total_count() == 4000
    with pytest.raises(InfrastructureError, match="no histogram in it"):
        _written("hdr", make_run("r", results=(BATCH,)))


def test_junit_counts_what_it_holds() -> None:
    root = ET.fromstring(_written("junit"))  # noqa: S314 - our own
    (suite,) = root
    assert (suite.get("tests"), suite.get("skipped"), suite.get("errors")) == ("9", "2", "0")
    assert len(suite.findall("testcase")) == 9
    skips = suite.findall("testcase/skipped")
    assert [skip.get("message") for skip in skips] == ['no "fork" here'] * 2
    names = [case.get("name") for case in suite]
    assert len(set(names)) == len(names)
    broken = msgspec.structs.replace(_run(), status="interrupted", error="Ctrl-C\x1b[31m")
    (suite,) = ET.fromstring(_written("junit", broken))  # noqa: S314
    assert suite.get("errors") == "1"
    error = suite.find("testcase/error")
    assert error is not None
    assert error.get("message") == "Ctrl-C\\x1b[31m"


def test_openmetrics_passes_its_parser_with_every_sample() -> None:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families

    families = {f.name: f for f in text_string_to_metric_families(_written("openmetrics").decode())}  # type: ignore[no-untyped-call]
    latency = families["rtstone_latency_seconds"]
    assert latency.type == "histogram"

    def of(quantity: str, kind: str) -> list[tuple[float, float]]:
        return [
            (float(s.labels.get("le", 0)), s.value)
            for s in latency.samples
            if s.labels["quantity"] == quantity and s.labels["repetition"] == "0" and s.name.endswith(kind)
        ]

    for end, count in of("interrupt-task-response", "_bucket"):
        assert count == sum(value <= end * 1e9 * (1 + 1e-12) for value in VALUES)
    assert of("interrupt-task-response", "_count") == [(0, 4000)]
    assert of("interrupt-task-response", "_sum")[0][1] == pytest.approx(sum(VALUES) / 1e9)
    below = of("timer-error", "_bucket")
    assert [count for end, count in below if end < 0][-1] == 2
    assert below[-1] == (float("inf"), 5.0)
    # Negative observations have no sum in this format.
    assert [s for s in latency.samples if s.name.endswith("_sum") and s.labels["quantity"] == "timer-error"] == []
    believed = {s.labels["quantity"]: s.value for s in families["rtstone_believed"].samples}
    assert (believed["fork"], believed["queue-fill"]) == (0, 1)
    assert {s.labels["target"] for s in latency.samples} == {_run().target}


def test_latex_is_balanced_and_obeys_nothing() -> None:
    note = Note("substituted", "x", r"50% of {it} \input{/etc/passwd} & more_ $x^2$ #1")
    run = make_run(
        "r", results=(msgspec.structs.replace(LATENCY, notes=(note,)),), studies=(), degraded=(Degraded("a", "b_c"),)
    )
    text = _written("latex", run).decode()
    assert r"50\% of \{it\} \textbackslash{}input\{/etc/passwd\} \& more\_ \$x\textasciicircum{}2\$ \#1" in text
    for name in ("table", "tabular", "minipage"):
        assert text.count(rf"\begin{{{name}}}") == text.count(rf"\end{{{name}}}") > 0
    plain = re.sub(r"\\[{}\\]", "", text)
    assert plain.count("{") == plain.count("}")
    tabular = re.search(r"\\begin\{tabular\}\{([lr]+)\}\n\\toprule\n(.*?)\\midrule", text, re.DOTALL)
    assert tabular is not None
    assert tabular[2].count("&") == len(tabular[1]) - 1
    assert len(set(re.findall(r"\\label\{(.*?)\}", text))) == text.count(r"\label")


def test_markdown_is_that_of_show() -> None:
    from rtstone.show.tables import markdown, views

    assert _written("markdown") == markdown(views([_run()])).encode()


HOSTILE = msgspec.structs.replace(
    LACKING, measurement="a#b c", quantity="über.x/..", text="not ok 1\nok 2 # SKIP \0\x1b[31m", reason=""
)
FAILED = msgspec.structs.replace(skipped("pipe", item=4, text="it broke"), status="failed")
CUT = msgspec.structs.replace(skipped("pipe", item=5, text=""), status="incomplete", reason="")


def _odd(name: str = "20260101T000000-abcd") -> Run:
    sessions = (make_session((LATENCY, BATCH, HOSTILE, FAILED, CUT)),)
    return make_run(
        name, results=(), sessions=sessions, started="yesterday", label="a\0b", status="incomplete", degraded=()
    )


def test_kcidb_keeps_to_the_schema_of_kernelci() -> None:
    from kcidb_io.schema import V5_3

    for runs in ((_run(),), (_run(), _odd("20260102T000000-ef01")), (make_run(results=()),)):
        made = msgspec.json.decode(_written("kcidb", *runs))
        assert V5_3.is_valid_exactly(V5_3.validate(made))
        builds, checkouts = ({one["id"] for one in made[kind]} for kind in ("builds", "checkouts"))
        assert {one["checkout_id"] for one in made["builds"]} == checkouts
        assert {one["build_id"] for one in made["tests"]} <= builds
        assert len({one["id"] for one in made["tests"]}) == len(made["tests"])


def test_kcidb_tells_each_figure_with_its_unit_and_what_was_not_measured() -> None:
    made = msgspec.json.decode(_written("kcidb"))
    (largest,) = [
        one
        for one in made["tests"]
        if one["path"].endswith("interrupt-task-response.max") and ", repetition 0" in one["comment"]
    ]
    assert largest["status"] == "DONE"
    assert largest["number"] == {"value": pytest.approx(max(VALUES) * 1e-9, rel=1e-9), "unit": "s", "prefix": "metric"}
    assert [one["status"] for one in made["tests"] if "fork" in one["path"]] == ["SKIP"] * 2
    odd = msgspec.json.decode(_written("kcidb", _odd()))["tests"]
    assert [one["status"] for one in odd[-3:]] == ["SKIP", "ERROR", "MISS"]
    assert not any("number" in one for one in odd[-3:])


def _ktap(text: str, indent: str = "") -> Iterator[tuple[str, int, str, str]]:
    """Result lines of a level, as the kernel's page on KTAP has them: result, number, description, directive."""
    lines = [line.removeprefix(indent) for line in text.splitlines() if line.startswith(indent)]
    own = [line for line in lines if not line.startswith(("  ", "# "))]
    count = 0
    for line in own:
        if line == "KTAP version 1" or re.fullmatch(r"1\.\.[0-9]+", line):
            count = 0
            continue
        match = re.fullmatch(r"(ok|not ok) ([0-9]+) ([^#]*[^# ])(?: # (.*))?", line)
        assert match, line
        count += 1
        assert int(match[2]) == count
        yield match[1], int(match[2]), match[3], match[4] or ""


def test_ktap_counts_its_results_and_no_text_of_a_target_makes_one() -> None:
    text = _written("ktap", _run(), _odd("20260102T000000-ef01")).decode()
    assert text.startswith("KTAP version 1\n1..2\n  KTAP version 1\n  1..8\n")
    assert [one[0] for one in _ktap(text)] == ["ok", "not ok"]
    inner = list(_ktap(text, "  "))
    assert [one[0] for one in inner] == ["ok"] * 11 + ["not ok"] * 2
    assert [one[3].partition(" ")[0] for one in inner] == [*(["", "", "", "SKIP"] * 2), "", "", "SKIP", "", ""]
    assert f"max={float(max(VALUES)):.6g}" in text
    assert "\0" not in text
    assert "\x1b" not in text


def test_the_guides_format_of_another_package_is_found(root: Path, tmp_path: Path) -> None:
    """docs/how-to/import-and-export.md, followed to the letter; a folder on the search path is an installed package."""
    page = (root / "docs/how-to/import-and-export.md").read_text(encoding="utf-8")
    module, registered = (re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL)[0] for kind in ("python", "toml"))
    (tmp_path / "rtstone_counts.py").write_text(textwrap.dedent(module), encoding="utf-8")
    (((group, points),),) = (tomllib.loads(registered)["project"]["entry-points"].items(),)
    about = tmp_path / "rtstone_counts-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: rtstone-counts\nVersion: 1\n", encoding="utf-8")
    lines = [f"{name} = {where}" for name, where in points.items()]
    (about / "entry_points.txt").write_text("\n".join((f"[{group}]", *lines, "")), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(tmp_path)
        written = _written("counts").decode().splitlines()
    assert len(written) == 8
    assert written[0].split("\t")[1:] == ["interrupt-task-response", "ok", "4000"]
