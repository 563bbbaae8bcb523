# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An archive as an earlier version made it: tables of version 0001, documents with the sessions in them."""

from __future__ import annotations

from pathlib import Path

import msgspec
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text

import rtstone.archive
from rtstone.archive import _documents
from rtstone.model import Run
from support.runs import make_result, make_run

_SESSION = "VALUES (1, 0, 'n', '0.1.0', 'posix', 0, '1', 1)"

OLD_ID = "20261120T080000-7f3a"


def make_old_tables(url: str, version: str = "0001") -> Run:
    """Makes the tables of version 0001 in an empty database and puts one run there; returns it. `version`: upgraded to that one then."""
    run = msgspec.structs.replace(make_run(OLD_ID, results=(make_result(count=20),)), version="1.0")
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(Path(rtstone.archive.__file__).with_name("migrations")))
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        texts = {"group": "", "started": run.started, "ended": run.ended, "target": "local", "label": run.label}
        texts |= {"kernel": run.kernel(), "studies": ",sscl,", "profile": "quick", "seed": "1", "status": "complete"}
        values = {"id": run.id, **texts, "degraded": 1, "results": 1, "measured": 1, "tool": run.tool}
        names = ", ".join(f'"{name}"' for name in values)
        places = ", ".join(f":{name}" for name in values)
        connection.execute(text(f"INSERT INTO runs ({names}) VALUES ({places})"), values)  # noqa: S608
        data = _documents.pack(_documents.encode(run))
        connection.execute(text("INSERT INTO documents VALUES (1, '1.0', :data)"), {"data": data})
        connection.execute(
            text("INSERT INTO sessions (run, position, nonce, engine, port, repetition, seed, complete) " + _SESSION)
        )
        command.upgrade(config, version)
    engine.dispose()
    return run
