# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Adds columns for the verdict on a run, the figures of its main quantity, and the verdict of `rtstone check`.
`RunStore.upgrade` fills in the first two afterwards, since a migration may not import code that changes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the columns. They are empty, which means not judged."""
    for name in ("verdict", "doubts", "main", "gate"):
        op.add_column("runs", sa.Column(name, sa.String, nullable=False, server_default=""))
