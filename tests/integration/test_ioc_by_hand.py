# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The IOC as a site runs it: settings that survive a restart, its shell, a start-up script of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rtstone.errors import InfrastructureError, UsageError
from rtstone.ioc import Ioc, run_shell, write_boot
from support.ioc import private, programs, running

__all__ = ["programs"]  # the fixture

pytestmark = pytest.mark.timeout(200)


def test_what_operators_set_survives_a_restart(programs: Path, tmp_path: Path) -> None:
    """The values are in a file of autosave's format.

    They are in force after a restart, and the file follows the records.
    """
    file = tmp_path / "ioc.sav"
    planted = tmp_path / "planted"
    (tmp_path / "ioc.sav.new").symlink_to(planted)
    set_ = {"samples": 77, "limit": 12345, "start.SCAN": ".5 second"}
    with running(programs, private(keep=file)) as (_, client):
        for name, value in set_.items():
            client.put(name, value)
    assert not planted.exists(), "a link is not followed"
    first, *lines, last = file.read_text(encoding="utf-8").splitlines()
    assert (first[0], last) == ("#", "<END>")
    assert sorted(lines) == ["rtstone:limit.VAL 12345", "rtstone:samples.VAL 77", "rtstone:start.SCAN 7"]
    with running(programs, private(keep=file)) as (_, client):
        assert {name: client.get(name) for name in ("samples", "limit")} == {"samples": 77, "limit": 12345}
        assert client.text("start.SCAN") == ".5 second"


def test_a_file_of_autosaves_own_is_read_and_what_cannot_be_is_told(programs: Path, tmp_path: Path) -> None:
    file = tmp_path / "ioc.sav"
    theirs = "# autosave\n! 1 channel(s)\nrtstone:start.SCAN 0\n"
    theirs += "rtstone:limit.VAL 4e4\nrtstone:samples.VAL 1e9\nother:gain 3\n"
    file.write_text(f"{theirs}<END>\n", encoding="utf-8")
    with running(programs, private(keep=file, samples=500, scan="1 second")) as (ioc, client):
        assert client.text("start.SCAN") == "Passive"
        assert (client.get("limit"), client.get("samples"), client.severity("samples")) == (40_000, 500, 3)
        assert any("there is no field other:gain here that could be '3'" in line for line in ioc.lines)
    file.write_text(theirs, encoding="utf-8")
    with pytest.raises(InfrastructureError, match="is cut short: no line <END>"), Ioc(programs, private(keep=file)):
        pass
    with pytest.raises(UsageError, match="--settings: there is no folder"):
        private(keep=tmp_path / "none" / "ioc.sav").check()


def test_a_folder_starts_the_ioc_by_hand(programs: Path, tmp_path: Path) -> None:
    """Its script needs no environment and no command of ours; the load's records and the access rules are in the folder."""
    script = write_boot(programs, private(load=3, pva_port=None), tmp_path / "boot")
    done = subprocess.run(
        [script], input="dbl\nexit\n", capture_output=True, text=True, check=False, timeout=60, env={}
    )
    assert done.returncode == 0, done.stderr
    assert "rtstone-ioc: running" in done.stdout
    assert {"rtstone:load:put2", "rtstone:samples"} <= set(done.stdout.splitlines())
    with pytest.raises(UsageError, match="without blanks"):
        write_boot(programs, private(), tmp_path / "two words")


def test_the_shell_has_the_terminal(programs: Path, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    typed = tmp_path / "typed"
    typed.write_text("dbgf rtstone:samples\nexit\n", encoding="utf-8")
    with typed.open() as words:
        assert run_shell(programs, private(pva_port=None), stdin=words) == 0
    assert "DBF_DOUBLE:         1000 " in capfd.readouterr().out
