# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone ioc`: the names of its arguments in its help, and its refusals before anything is built or started."""

from __future__ import annotations

import re
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from rtstone.errors import UsageError
from rtstone.ioc import command as ioc


def _app() -> typer.Typer:
    app = typer.Typer()
    app.callback()(lambda: None)
    ioc.register(app)
    return app


def test_each_word_that_it_wants_has_a_name_that_is_no_type() -> None:
    command: Any = typer.main.get_command(_app())
    wanted = [one for one in command.commands["ioc"].params if not getattr(one, "is_flag", False)]
    assert len(wanted) >= 12
    assert [one.name for one in wanted if not one.metavar or "<" in one.metavar] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--load", "0"), "--load: at least 1 record, not 0"),
        (("--load", "10000000"), "--load: a number from 1 to 1000000, not 10000000"),
        (("--period", "500"), "--period takes a time with its unit, of whole microseconds (250us, 1ms), not '500'"),
        (("--sampler", "both"), "--sampler: one of engine, split, probe, not 'both'"),
        (("--scan", "3 second"), "--scan: one of Passive, "),
        (("--prefix", "a b"), "--prefix: 1 to 30 letters, "),
        (("--interface", "everywhere"), "--interface: an IPv4 address of this machine, not 'everywhere'"),
        (("--attach", "--load", "5"), "--attach starts no IOC"),
    ],
)
def test_what_cannot_be_is_refused_at_once(words: tuple[str, ...], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        CliRunner().invoke(_app(), ["ioc", *words], catch_exceptions=False)
