# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands and options of earlier releases still work, and one line names the new one."""

from __future__ import annotations

import pytest

from rtstone.cli import _app, _renamed, main


@pytest.mark.parametrize(("old", "new"), sorted(_renamed.COMMANDS.items()))
def test_an_old_name_is_the_new_command(old: str, new: str, capfd: pytest.CaptureFixture[str]) -> None:
    shown = {}
    for words in ((old,), tuple(new.split())):
        with pytest.raises(SystemExit) as ended:
            main((*words, "--help"))
        assert ended.value.code == 0
        shown[words] = capfd.readouterr()
    before, today = shown.values()
    assert before.out == today.out
    assert f" {new} [OPTIONS]" in today.out
    assert before.err == f"rtstone: '{old}' is now 'rtstone {new}'; release 0.5 removes the old name\n"
    assert today.err == ""
    assert old not in _app.commands()


@pytest.mark.parametrize(
    ("words", "today"),
    [
        ("check gate.toml -m", "check gate.toml --measure"),
        ("check gate.toml -r last -r last~1", "check gate.toml --run last --run last~1"),
        ("watch --for=10min", "watch --duration=10min"),
        ("tails last -m one", "fit --tail last --quantity one"),
        ("fit --tail last --measurement=one", "fit --tail last --quantity=one"),
        ("engine --export there", "boards export there"),
        ("engine --export=there", "boards export there"),
        ("verify-board arm64 -n 3", "boards verify arm64 --runs 3"),
        ("run -m queue-fill -r 3 -p quick", "run -m queue-fill -r 3 -p quick"),
        ("", ""),
    ],
)
def test_options_of_earlier_releases(words: str, today: str) -> None:
    made, lines = _renamed.of_today(words.split())
    assert made == today.split()
    assert bool(lines) == (words != today)


def test_every_option_of_today_exists() -> None:
    """A list written by hand would go on naming an option that is gone."""
    from rtstone.cli import _manual

    pages = {" ".join(page.words[1:]): page for page in _manual.pages()}
    for (command, old), new in _renamed.OPTIONS.items():
        terms = {word.strip(",") for entry in pages[command].options for word in entry.term.split()}
        assert old not in terms
        assert not new or new in terms
