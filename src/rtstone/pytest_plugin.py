# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A plug-in of pytest: the fixture `rtstone` measures a target by a check file, and fails the test where a row does not pass.

pytest imports this module in every environment that has rtstone. It imports nothing else until a test uses the fixture.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import os

    from rtstone.judge.check import Report


class Gate:
    """The object that the fixture returns."""

    def check(self, file: str | os.PathLike[str], target: str | None = None, *, archive: str | None = None) -> Report:
        """Measure a target as `rtstone check FILE --measure --target TARGET` does, save the run, and return the report.

        `target`: replaces the file's; `archive`: replaces the configured one. The test fails where a row does not pass,
        also where the data do not suffice for a verdict. Raises RtstoneError where the file is wrong or the target
        cannot be measured.
        """
        from rtstone.cli._check import baseline_runs, known, measure_for
        from rtstone.cli.archive import open_configured
        from rtstone.judge.check import judge, read
        from rtstone.show.judged.check import sentence

        checks = read(Path(file), known())
        baseline_runs(
            checks, lambda: open_configured(archive)
        )  # errors in the baselines are reported before anything is measured
        run = measure_for(checks, target, archive, loads_required=True, quiet=True)
        report = judge(checks, [run], *baseline_runs(checks, lambda: open_configured(archive), [run]))
        if report.outcome != "pass":
            rows = [sentence(row) for row in report.rows if row.outcome != "pass"]
            pytest.fail("\n".join([f"{report.summary} (run {run.id})", *rows]), pytrace=False)
        return report


@pytest.fixture(scope="session")
def rtstone() -> Gate:
    """Measures targets and judges them by a check file: `rtstone.check("gate.toml", "ssh:bench")`."""
    return Gate()
