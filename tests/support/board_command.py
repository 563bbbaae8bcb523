# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands that run boards, in this process, with images that stay from one run of the tests to the next."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rtstone.cli import main
from support.images import lasting_cache


class Ended(NamedTuple):
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its document."""
        return json.loads(self.out)


Command = Callable[..., Ended]


@pytest.fixture
def rtstone(capsys: pytest.CaptureFixture[str], root: Path) -> Iterator[Command]:
    """Runs a command in this process, with images that stay from one run of the tests to the next."""

    def run(*arguments: str) -> Ended:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        said = capsys.readouterr()
        return Ended(int(ended.value.code or 0), said.out, said.err)

    with lasting_cache(root):
        yield run
