# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What commands that measure have in common: a run that is kept before it is judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rtstone.measure import Asked
    from rtstone.model import Run


def measure_and_keep(asked: Asked, *, profile: str, label: str, archive: str, quiet: bool) -> Run:
    """Measure one target, keep the run, and return it to be judged.

    Raises what ended it before its time once it is kept; Exit with 130 where Ctrl-C did: a part of a run is not judged.
    """
    from rtstone.archive import open_archive
    from rtstone.cli._progress import Shown
    from rtstone.cli._session import say
    from rtstone.measure import measure, require_archive
    from rtstone.model import short_id

    require_archive(archive)
    with Shown(quiet=quiet, targets=(asked.target.name,)) as shown:
        outcome = measure(
            asked.target,
            lambda number: asked.plans[number],
            len(asked.plans),
            profile=profile,
            label=label,
            on_progress=shown,
        )
    run = outcome.run
    if run.sessions:
        open_archive(archive).save(run, outcome.logs, owner=outcome.owner)
        if not quiet:
            say(f"kept as {short_id(run.id)}")
    if outcome.error is not None:
        raise outcome.error
    if run.status == "interrupted":
        say("interrupted: what was measured is kept, and not judged" if run.sessions else "interrupted")
        raise typer.Exit(130)
    return run
