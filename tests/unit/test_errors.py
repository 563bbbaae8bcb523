# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Each domain error ends a command with the exit code that the design gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtstone import errors
from rtstone.errors import command, this_program, unknown


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.RtstoneError, 3),
        (errors.BoundExceeded, 1),
        (errors.UsageError, 2),
        (errors.InfrastructureError, 3),
        (errors.ImageError, 2),
        (errors.GuestError, 3),
        (errors.IncompleteError, 4),
    ],
)
def test_exit_codes(error: type[errors.RtstoneError], code: int) -> None:
    assert error.exit_code == code
    assert issubclass(error, errors.RtstoneError)


def test_an_unknown_name_of_many_has_the_nearest_and_the_command_that_lists_them() -> None:
    said = str(unknown("measurement", "queue-fil", ["queue-fill", "queue-drain", "fork"]))
    assert said == (
        "unknown measurement 'queue-fil'. Did you mean 'queue-fill' or 'queue-drain'? "
        "`rtstone list measurements` prints the names"
    )


def test_a_long_name_is_quoted_in_part() -> None:
    said = str(unknown("measurement", "x" * 100_000, ["queue-fill"]))
    assert len(said) < 200
    assert said.startswith("unknown measurement 'xxx")


def test_messages_name_the_command_as_the_user_called_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def as_called(*words: str) -> str:
        monkeypatch.setattr("sys.argv", [*words])
        return this_program()

    def program(name: str) -> str:
        file = tmp_path / name / "rtstone"
        file.parent.mkdir(parents=True)
        file.touch(mode=0o755)
        return str(file)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    installed, checkout, spaced = program("bin"), program(".venv/bin"), program("a checkout")
    assert as_called(".venv/bin/rtstone", "show") == ".venv/bin/rtstone"
    assert as_called(spaced) == f"'{spaced}'"
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))  # PATH has another one
    assert as_called(".venv/bin/rtstone", "show") == ".venv/bin/rtstone"
    assert as_called(installed, "show") == "rtstone"
    Path(checkout).unlink()
    Path(checkout).symlink_to(installed)
    assert as_called(".venv/bin/rtstone", "show") == "rtstone"
    monkeypatch.setattr("sys.orig_argv", ["python3", "-m", "rtstone", "show"])
    assert as_called("/src/rtstone/__main__.py", "show") == "rtstone"
    for other in ("/usr/bin/pytest", ""):
        assert as_called(other) == "rtstone"
    assert as_called() == "rtstone"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("rtstone", "show", "--archive", "my runs.sqlite"), "rtstone show last --archive 'my runs.sqlite'"),
        (("/src/rtstone/__main__.py", "show", "--archive=a.sqlite"), "rtstone show last --archive a.sqlite"),
        (
            ("rtstone", "--archive", "postgresql://me:pw@host/db"),
            "rtstone show last --archive 'postgresql://me:***@host/db'",
        ),
        (("rtstone", "attach", "--", "program", "--archive", "x"), "rtstone show last"),
        (("rtstone", "show"), "rtstone show last"),
        (("/usr/bin/pytest", "--archive", "a.sqlite"), "rtstone show last"),
    ],
)
def test_a_command_in_a_message_is_for_the_archive_that_the_user_named(
    words: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", list(words))
    assert command("show last") == said
