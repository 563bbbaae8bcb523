# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The pages about many runs: machines, one machine, a study across machines, a history.

They look like the report, and link to it.
"""

from __future__ import annotations

from rtstone.show.site._where import address, links
from rtstone.show.site.pages import (
    history_page,
    load_templates,
    machine_page,
    machines_page,
    message_page,
    queue_page,
    study_page,
)

__all__ = [
    "address",
    "history_page",
    "links",
    "load_templates",
    "machine_page",
    "machines_page",
    "message_page",
    "queue_page",
    "study_page",
]
