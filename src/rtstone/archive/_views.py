# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Views for other programs (docs/reference/archive-views.md), and the rights of each role on a PostgreSQL server.

Tables may change with a migration. A view named v1_… keeps its columns: removing a column or changing its meaning needs
a view v2_…. A migration makes its views from a file of its own that never changes (`_views_0002.py`), so later changes
do not affect the migration.
"""

from __future__ import annotations

from rtstone.archive._views_0002 import VIEWS as _OF_0002

VIEWS = _OF_0002
"""The name of each view → the statement that makes it, as in the newest migration."""

KNOWN = frozenset(_OF_0002.items())
"""Names and statements of the views of all versions. An SQLite file may contain only these views."""

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
"""The statements by which `archive grant` gives a role its rights."""
