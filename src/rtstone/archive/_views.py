# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Views for other programs (docs/reference/archive-views.md), and what each role may do on a PostgreSQL server.

Tables may change with a migration; a view named v1_… keeps its columns. A change that takes one away or gives it another meaning is a v2_….
A migration makes its views from a file of its own that never changes (`_views_0002.py`), so that a later change leaves its upgrade alone.
"""

from __future__ import annotations

from rtstone.archive._views_0002 import VIEWS as _OF_0002

VIEWS = _OF_0002
"""Name → the statement that makes it, as the newest migration has it."""

KNOWN = frozenset(_OF_0002.items())
"""Names and statements of all versions: an SQLite file may hold these views and no others."""

_OF_RUN = ("documents", "sessions", "results", "raw_logs")
_QUEUE = ("work", "places")

RIGHTS = {
    "read": (f"GRANT SELECT ON {', '.join(('alembic_version', 'runs', *_OF_RUN, *_QUEUE, *VIEWS))} TO {{role}}",),
    "write": (
        f"GRANT SELECT ON {', '.join(('alembic_version', *VIEWS))} TO {{role}}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {', '.join(('runs', *_OF_RUN, *_QUEUE))} TO {{role}}",
        "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {role}",
    ),
}
"""What `archive grant` gives a role."""
