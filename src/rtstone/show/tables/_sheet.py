# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The fidelity sheet: each condition of a paper, with the finding on it in each run."""

from __future__ import annotations

from collections.abc import Sequence

from rtstone.model import Run
from rtstone.model.labels import names
from rtstone.show.tables._model import Sheet, SheetLine
from rtstone.studies import Study
from rtstone.studies.conditions import judge


def fidelity_sheet(runs: Sequence[Run], study: Study) -> Sheet:
    """The sheet of a study for these runs. Its counts are of the verdicts in all runs together."""
    judged = [judge(run, study, runs) for run in runs]
    lines = tuple(
        SheetLine(paper=condition.stated, table=condition.table, findings=tuple(findings[i] for findings in judged))
        for i, condition in enumerate(study.conditions)
    )
    verdicts = [finding.verdict for line in lines for finding in line.findings]
    return Sheet(
        study=study.id,
        title=f"{study.id}: how faithfully the conditions of {study.report} were met",
        runs=names(runs),
        lines=lines,
        met=verdicts.count("met"),
        substituted=verdicts.count("substituted"),
        not_met=verdicts.count("not met"),
    )
