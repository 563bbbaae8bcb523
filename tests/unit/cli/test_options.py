# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A command's options as structures: each field is an option, in the group that its class names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from rtstone.cli._options import Seed, grouped


@dataclass(frozen=True)
class Water:
    """What to drink.

    The rest of the text is for readers of the code."""

    sips: Annotated[int, typer.Option("--sips", "-s", help="How many.")] = 3
    names: Annotated[list[str] | None, typer.Option("--name")] = None


@dataclass(frozen=True)
class Chance:
    """Chance."""

    seed: Seed = 1


SEEN: list[tuple[str, Water, Chance]] = []


@grouped
def drink(context: typer.Context, water: Water, chance: Chance) -> None:
    """Drink."""
    SEEN.append((str(context.info_name), water, chance))


def test_fields_are_options_in_the_group_of_their_class() -> None:
    app = typer.Typer()
    app.command("drink")(drink)
    SEEN.clear()
    for words in ([], ["-s", "5", "--name", "a", "--name", "b", "--seed", "7"]):
        assert CliRunner().invoke(app, words).exit_code == 0
    assert [one[1:] for one in SEEN] == [
        (Water(), Chance()),
        (Water(sips=5, names=["a", "b"]), Chance(seed=7)),
    ]
    panels = {one.name: getattr(one, "rich_help_panel", None) for one in typer.main.get_command(app).params}
    assert (panels["sips"], panels["names"], panels["seed"]) == ("What to drink", "What to drink", "Chance")
    assert CliRunner().invoke(app, ["--sips", "many"]).exit_code == 2


def test_a_shared_option_keeps_no_group_of_one_command() -> None:
    app = typer.Typer()

    @app.command()
    def alone(seed: Seed = 1) -> None:
        SEEN.append((str(seed), Water(), Chance()))

    (parameter,) = (one for one in typer.main.get_command(app).params if one.name == "seed")
    assert getattr(parameter, "rich_help_panel", None) is None
