# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone show` ends with 4 where a table has no figure, and only there."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rtstone.archive import open_archive
from rtstone.cli import main
from rtstone.model import Histogram, Result
from support.runs import GEOMETRY, make_result, make_run, skipped

EMPTY = msgspec.structs.replace(
    make_result(count=10),
    count=0,
    min=None,
    max=None,
    sum=0,
    sumsq=0,
    elapsed=0,
    histogram=Histogram(GEOMETRY),
    extremes=(),
    windows=None,
    checks=(),
)


@pytest.mark.parametrize("form", ["table", "json", "csv"])
@pytest.mark.parametrize(
    ("results", "code"),
    [
        ((EMPTY,), 4),
        ((make_result(count=100),), 0),
        ((EMPTY, make_result("queue-fill", item=1, count=100)), 0),
        ((skipped("suspend-resume"),), 0),
        ((msgspec.structs.replace(make_result(count=100), status="invalid", reason="check"),), 0),
    ],
    ids=["no samples", "figures", "some figures", "a service that it does not have", "marked figures"],
)
def test_a_table_without_a_figure_ends_with_4(
    results: tuple[Result, ...], code: int, form: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    place = str(tmp_path / "archive.db")
    open_archive(place).save(make_run(results=results, studies=(), degraded=()))
    with pytest.raises(SystemExit) as ended:
        main(("show", "--archive", place, "--format", form))
    out, err = capfd.readouterr()
    assert (int(ended.value.code or 0), bool(out)) == (code, True)
    assert err.count("\n") == (1 if code else 0)
    assert ("no figure of these runs is in the table 'Single operations'" in err) == bool(code)
