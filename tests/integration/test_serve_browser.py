# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The served pages in a real browser: wide and narrow, by clicks and by keyboard, and nothing in the console."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rtstone.archive import open_archive, open_fleet, open_queue
from rtstone.model import Variant
from rtstone.serve._answers import Answers, PageRequest, Setup
from rtstone.serve._model import Bounds
from support import layout
from support.runs import make_result, make_run, make_session

# The actions of a reader: every link of the contents, every fold, Tab from one to the next. Faults are reported.
PROBE = (
    layout.FAULTS
    + """
const all = (what) => [...document.querySelectorAll(what)];
const look = () => {
  if (all(".canvas").length > all('.canvas[data-state="drawn"]').length) return void setTimeout(look, 50);
  const over = all("body *").filter(
    (e) => !e.closest(".scroll table") && !e.closest("svg") && e.getBoundingClientRect().right > innerWidth + 1);
  const spilled = all("td .main span").filter((e) => e.getBoundingClientRect().right > e.closest("td").getBoundingClientRect().right + 1);
  const found = faults();
  const within = all('nav a[href^="#"]').map((a) => { a.click(); return document.getElementById(a.hash.slice(1)) !== null; });
  all("details:not([open]) > summary").forEach((s) => s.click());
  const focusable = all("a[href], summary").filter((e) => e.offsetParent !== null);
  const reached = focusable.filter((e) => { e.focus(); return document.activeElement === e && e.tabIndex === 0; });
  parent.postMessage(JSON.stringify({
    width: innerWidth, scroll: document.documentElement.scrollWidth, over: over.slice(0, 5).map((e) => `${e.tagName} ${e.className}`),
    faults: found, sparks: all("svg.spark polyline").length, ticks: all(".role-axis-label text").map((e) => e.textContent),
    spilled: spilled.map((e) => e.textContent),
    within, closed: all("details:not([open])").length, focusable: focusable.length, reached: reached.length,
    points: all('svg .mark-symbol path').length, drawn: all(".canvas svg").length, links: all("main a").length }), "*");
};
addEventListener("load", () => setTimeout(look, 200));
"""
)
MACHINE = "f" * 32


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """Answers from an archive of sixteen runs, with a step, and long names everywhere."""
    path = str(tmp_path_factory.mktemp("lab") / "lab.sqlite")
    archive = open_archive(path)
    for number in range(16):
        results = tuple(
            make_result(
                quantity, item=i, variant=Variant(load=load), count=80, seed=number, typical=2000 + number // 8 * 900
            )
            for i, (quantity, load) in enumerate(
                (q, x) for q in ("semaphore-ping", "queue-fill") for x in ("none", "cpu")
            )
        )
        session = make_session(results, seed=number)
        env = session.env | {"machine.id": MACHINE, "machine.name": f"bench-{'long' * 12}"}
        run = make_run(f"20261101T{number:06d}-{number:020x}", sessions=(msgspec.structs.replace(session, env=env),))
        started = f"2026-11-{1 + number:02d}T02:30:00Z"
        archive.save(msgspec.structs.replace(run, label=f"nightly-{'long' * 12}", started=started))
    queue = open_queue(path)
    queue.add(f"group-{'long' * 12}", [(f"place-{number}", "{}") for number in range(9)])
    for number in range(9):
        queue.take(f"host/{number}")
    return Answers(Setup(path, Bounds(), "auto"))


@pytest.mark.parametrize("width", [1400, 1000, 420])
@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("machines", {}),
        ("queue", {}),
        ("machine", {"id": MACHINE}),
        ("study", {"id": "sscl"}),
        ("history", {"quantity": "semaphore-ping", "machine": MACHINE, "load": "none"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_page_can_be_read_and_walked(
    answers: Answers, page: str, query: dict[str, str], width: int, tmp_path: Path
) -> None:
    made = answers.answer(PageRequest(page, "", query))
    assert made.status == 200
    seen, visit = layout.seen(made.body.decode(), PROBE, width, tmp_path)
    assert visit.console == ()
    assert (seen["width"], seen["scroll"], seen["over"]) == (width, width, [])
    assert seen["spilled"] == [], "figures over the next column"
    assert all(seen["within"])
    assert seen["focusable"] == seen["reached"] > 4
    assert seen["closed"] == 0
    faults = seen["faults"]
    assert (faults["cut"], faults["undrawn"], faults["unlabelled"], faults["broken"]) == ([], [], [], [])
    if width == 1400 or page == "machines":
        assert faults["hidden"] == []
    if page == "machines":
        assert seen["sparks"] == 1
    if page == "history":
        assert (seen["drawn"], seen["points"]) == (1, 16)
        assert {"2026-11-01", "2026-11-16"} <= set(seen["ticks"])
    assert seen["links"] >= (0 if page in {"study", "queue"} else 1)


def test_the_archive_was_only_read(answers: Answers) -> None:
    assert type(answers._fleet) is type(open_fleet(None))
