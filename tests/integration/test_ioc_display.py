# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The IOC's screen, drawn without a display: clicked on, typed into and read, while another client uses the IOC."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rtstone.ioc import IocSettings
from rtstone.ioc.display import content, style
from support import png
from support.before_screen import Operator
from support.ioc import PARAMETERS, Client, private, programs, running, scripted

__all__ = ["programs"]  # the fixture

pytestmark = pytest.mark.timeout(300)

MEASURED = ("interruptLatency", "contextSwitch", "totalResponse")
"""By the engine as the sampler; the other two take the kernel module."""

WHITE = (255, 255, 255)


def rgb(text: str) -> tuple[int, int, int]:
    """A colour that is written #rrggbb."""
    return (int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16))


@pytest.fixture(scope="module")
def before(
    programs: Path, root: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[IocSettings, Client, Operator]]:
    """An IOC that takes a set when it is asked, a client of it, and somebody before its screen."""
    settings = private()
    with running(programs, settings) as (_, client):
        operator = Operator(settings, root, tmp_path_factory.mktemp("screen") / "said")
        try:
            operator.until_text("state", "idle")
            operator.until_text("start.SCAN", "Passive")
            operator.until_text("samples", "1000")
            yield settings, client, operator
        finally:
            operator.end()


def test_a_click_takes_a_set(before: tuple[IocSettings, Client, Operator]) -> None:
    _, client, operator = before
    operator.do("click", name="clear")
    client.until("count", 0)
    operator.do("type", name="samples", text="300")
    client.until("samples", 300)
    operator.do("click", name="startOnce")
    client.until("count", 300)
    operator.until_text("count", "300")
    operator.until_text("setSamples", "300")
    for name in MEASURED:
        raw = client.get(name)
        assert len(raw) == 300
        operator.until(lambda of=name: operator.values(of), raw)  # type: ignore[misc]
        operator.until(lambda of=name: operator.values(f"{of}:histogram"), client.get(f"{name}:histogram"))  # type: ignore[misc]
        operator.until_text(f"{name}:count", "300")
        median = client.get(f"{name}:median") / 1000
        shown = operator.text(f"{name}:median")
        assert shown.endswith(" µs")
        assert float(shown.removesuffix(" µs").replace(",", "")) == pytest.approx(median, rel=0.01, abs=0.001)
    for name in set(PARAMETERS) - set(MEASURED):
        operator.until_text(f"{name}:median", "–")
        for plot in (name, f"{name}:histogram"):
            no_stage = "not measured: this sampler has no such stage"
            operator.until(lambda of=plot: operator.do("look", name=of)["note"], no_stage)  # type: ignore[misc]
        assert operator.do("look", name=f"{name}:median")["severity"] == 3


def test_a_click_forgets_all(before: tuple[IocSettings, Client, Operator]) -> None:
    _, client, operator = before
    sets = client.get("sets")
    operator.do("click", name="startOnce")
    client.until("sets", sets + 1)  # the screen may still show the set before
    operator.do("click", name="clear")
    client.until("count", 0)
    operator.until_text("count", "0")
    for name in PARAMETERS:
        for plot in (name, f"{name}:histogram"):
            operator.until(lambda of=plot: sum(operator.values(of)), 0)  # type: ignore[misc]
            operator.until(lambda of=plot: operator.do("look", name=of)["note"], "no samples")  # type: ignore[misc]
        operator.until_text(f"{name}:max", "–")
        for figure in (":min", ":median", ":max", ":percent"):
            operator.until(lambda of=name + figure: operator.do("look", name=of)["severity"], 0)  # type: ignore[misc]


def test_fields_are_written_in_their_units(before: tuple[IocSettings, Client, Operator]) -> None:
    _, client, operator = before
    operator.until_text("limit", "100 µs")
    operator.do("type", name="limit", text="2.5")
    client.until("limit", 2500)
    operator.until_text("limit", "2.5 µs")
    operator.do("type", name="limit", text="250 µs")
    client.until("limit", 250_000)
    for nonsense in ("many", "", "nan", "1e99", "--5", "-5", "inf", "3000000", "100 ms"):
        operator.do("type", name="limit", text="250")
        operator.until(lambda: operator.do("look", name="limit")["severity"], 0)
        operator.do("type", name="limit", text=nonsense)
        operator.until(lambda: operator.do("look", name="limit")["severity"], 3)  # refused
        operator.until_text("limit", "250 µs")
        assert client.ask(do="get", name="limit") | {"time": 0} == {
            "value": 250_000,
            "severity": 3,
            "status": 2,
            "time": 0,
        }
    client.put("samples", 300)
    operator.until_text("samples", "300")
    operator.do("type", name="samples", text="99999999")
    operator.until(lambda: operator.do("look", name="samples")["severity"], 3)
    assert client.get("samples") == 300
    operator.until_text("samples", "300")
    client.put("samples", 1000)
    operator.until(lambda: operator.do("look", name="samples")["severity"], 0)
    client.put("limit", 100_000)
    operator.until_text("limit", "100 µs")  # what others write shows


def test_a_period_is_chosen(before: tuple[IocSettings, Client, Operator]) -> None:
    _, client, operator = before
    operator.do("type", name="samples", text="50")
    client.until("samples", 50)
    operator.do("choose", name="start.SCAN", text=".5 second")
    operator.until(lambda: client.text("start.SCAN"), ".5 second")
    operator.until(lambda: client.get("sets") >= 2, True)  # sets come by themselves
    operator.do("choose", name="start.SCAN", text="Passive")
    operator.until(lambda: client.text("start.SCAN"), "Passive")


def test_the_picture(before: tuple[IocSettings, Client, Operator], tmp_path: Path) -> None:
    """Curves where something is measured, alarms in their colours, no text cut off or on another."""
    _, client, operator = before
    operator.do("type", name="samples", text="500")
    client.until("samples", 500)
    operator.do("type", name="limit", text="0.5")  # every response takes longer
    client.until("limit", 500)
    operator.do("click", name="clear")
    client.until("count", 0)
    operator.do("click", name="startOnce")
    client.until("count", 500)
    operator.until(lambda: sum(operator.values("totalResponse:histogram")), 500)
    operator.until(lambda: operator.do("look", name="totalResponse:percent")["severity"], 2)
    operator.until(lambda: operator.do("look", name="totalResponse:max")["severity"], 1)
    time.sleep(0.5)  # a redraw is due within 0.2 s
    operator.do("picture", path=str(tmp_path / "screen.png"))
    image = png.read((tmp_path / "screen.png").read_bytes())
    assert (image.width, image.height) == (1320, 1000)

    def share_of(color: tuple[int, int, int], name: str) -> float:
        return 1 - image.share_unlike(color, *operator.do("look", name=name)["place"])

    for name in PARAMETERS:
        drawn = name in MEASURED
        assert (share_of(rgb(style.CURVE), name) > 0.003) is drawn, name
        assert (share_of(style.BARS, f"{name}:histogram") > 0.05) is drawn, name
        assert share_of(WHITE, name) > 0.5, name
    assert share_of(rgb(style.SEVERITIES["MAJOR"][0]), "totalResponse:percent") > 0.4
    assert share_of(rgb(style.SEVERITIES["MINOR"][0]), "totalResponse:max") > 0.4
    assert share_of(rgb(style.SEVERITIES["INVALID"][0]), "topToBottom:median") > 0.4
    client.put("limit", 100_000)

    texts = [text for text in operator.do("texts") if text["text"]]
    assert len(texts) > 100
    for text in texts:
        x, y, width, height = text["place"]
        assert width >= text["wants"], text
        assert x >= 0
        assert x + width <= image.width, text
        assert y + height <= image.height, text
    for one, other in itertools.combinations(texts, 2):
        apart = any(
            one["place"][axis] + one["place"][axis + 2] <= other["place"][axis]
            or other["place"][axis] + other["place"][axis + 2] <= one["place"][axis]
            for axis in (0, 1)
        )
        assert apart, (one, other)


def test_five_plots(programs: Path, root: Path, tmp_path: Path) -> None:
    """A sampler that measures all five: each has its curve and its histogram, negative values too."""
    settings = private(script=scripted(root, tmp_path, programs, "whole"))
    with running(programs, settings) as (_, client):
        operator = Operator(settings, root, tmp_path / "said")
        try:
            operator.until_text("state", "idle")
            operator.do("type", name="samples", text="200")
            client.until("samples", 200)
            operator.do("click", name="startOnce")
            client.until("count", 200)
            for name in PARAMETERS:
                client.until(f"{name}:saturated", name == "totalResponse")
                operator.until(lambda of=name: operator.values(of), client.get(name))  # type: ignore[misc]
                operator.until(lambda of=name: sum(operator.values(f"{of}:histogram")), 200)  # type: ignore[misc]
                # What has come is drawn at the next redraw.
                operator.until(lambda of=name: operator.do("look", name=of)["note"], "")  # type: ignore[misc]
            operator.until(lambda: operator.do("look", name="totalResponse:saturated")["severity"], 2)
            operator.until_text("topToBottom:min", "-0.199 µs")
            time.sleep(0.5)  # a redraw is due within 0.2 s
            operator.do("picture", path=str(tmp_path / "screen.png"))
            image = png.read((tmp_path / "screen.png").read_bytes())
            for name in PARAMETERS:
                for plot, color in ((name, rgb(style.CURVE)), (f"{name}:histogram", style.BARS)):
                    place = operator.do("look", name=plot)["place"]
                    assert 1 - image.share_unlike(color, *place) > 0.001, plot
        finally:
            operator.end()


def test_all_of_it_is_on_the_screen_and_in_the_ioc(before: tuple[IocSettings, Client, Operator]) -> None:
    _, client, operator = before
    for record in content.records():
        assert client.try_to(do="get", name=record).keys() >= {"value"}, record
        if record != content.EDGES.record:  # an axis, no field
            operator.do("look", name=record)
    assert operator.text("message.VAL$") == client.message()
    assert operator.text("memoryLocked") in ("locked", "not locked")
    assert operator.text("realtime") in ("SCHED_FIFO", "not real-time")
    assert "Traceback" not in operator.said()
