# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs the migrations on the connection that the archive has open, inside its transaction."""

from __future__ import annotations

from alembic import context
from sqlalchemy import MetaData

# Names constraints in the same way on every database. Like a migration, this never changes.
NAMES = {
    "ix": "ix_%(column_0_N_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=MetaData(naming_convention=NAMES), render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
