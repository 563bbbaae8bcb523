# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The views and the row policies that migration 0002 makes. This file never changes: a new view needs a new migration and a new file.

A test compares the statements with their checksum.
"""

from __future__ import annotations

VIEWS = {
    "v1_machines": """CREATE VIEW v1_machines AS
SELECT machine, max(machine_name) AS machine_name, count(*) AS runs, min(started) AS first_started, max(started) AS last_started
FROM runs GROUP BY machine""",
    "v1_runs": """CREATE VIEW v1_runs AS
SELECT id AS run, short, started, ended, machine, machine_name, target, label, "group" AS run_group, kernel, studies, profile, seed,
status, degraded, CASE WHEN owner = '' THEN 0 ELSE 1 END AS under_way, results, measured, tool, writer
FROM runs""",
    "v1_results": """CREATE VIEW v1_results AS
SELECT runs.id AS run, runs.started, runs.machine, runs.machine_name, runs.label, results.session, results.item, results.target,
results.kernel, results.measurement, results.quantity, results."pass" AS pass_name, results.load, results.sched, results.cache,
results.timer, results.variant, results.meaning, results.status, results.count AS samples, results.min_ns, results.mean_ns,
results.p50_ns, results.p99_ns, results.max_ns
FROM results JOIN runs ON runs.number = results.run""",
    "v1_histograms": """CREATE VIEW v1_histograms AS
SELECT runs.id AS run, sessions.position AS session, sessions.repetition, 'rtstone.archive.unpack_session' AS encoding, sessions.data
FROM sessions JOIN runs ON runs.number = sessions.run WHERE sessions.data IS NOT NULL""",
}
"""The name of each view → the statement that makes it, the same on both databases."""

_MINE = "writer = CURRENT_USER"
_OF_MINE = f"EXISTS (SELECT 1 FROM runs WHERE runs.number = {{table}}.run AND {_MINE})"  # noqa: S608 - words of this file

POLICIES = tuple(
    statement
    for table in ("runs", "documents", "sessions", "results", "raw_logs")
    for mine in (_MINE if table == "runs" else _OF_MINE.format(table=table),)
    for statement in (
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
        f"CREATE POLICY readers ON {table} FOR SELECT USING (true)",
        f"CREATE POLICY writers_add ON {table} FOR INSERT WITH CHECK ({mine})",
        f"CREATE POLICY writers_change ON {table} FOR UPDATE USING ({mine}) WITH CHECK ({mine})",
        f"CREATE POLICY writers_delete ON {table} FOR DELETE USING ({mine})",
    )
)
"""PostgreSQL: a reader reads all runs. A writer adds, changes and deletes only the runs that it saved. The tables'
owner may do everything."""
