# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone serve` over HTTP: every page and form, the refused clients, and that nothing can be changed there."""

from __future__ import annotations

import base64
import gc
import hashlib
import json
import os
import signal
import socket
import sqlite3
import subprocess
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode

import msgspec
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from rtstone.archive import Fleet, GateVerdict, open_archive, open_fleet, open_queue
from rtstone.errors import InfrastructureError
from rtstone.model import Run, Variant
from rtstone.serve._answers import Answers, PageRequest, Setup
from rtstone.serve._model import Bounds
from rtstone.show.tables import doubts
from support import postgresql
from support.page import Page
from support.runs import make_result, make_run, make_session
from support.served import SRC, Served, command, serving
from support.writers import write_all

HOSTILE = "<svg/onload=alert(1)>\"'&x"
BENCH, OTHER = "0" * 31 + "a", "board:arm64/qemu 7.2 & more"


def _run(number: int, machine: str, name: str, **changes: object) -> Run:
    results = tuple(
        make_result(
            quantity, item=i, variant=Variant(load=load), count=120, seed=number, typical=2000 + number // 14 * 900
        )
        for i, (quantity, load) in enumerate(
            (q, x) for q in ("semaphore-ping", "interrupt-task-response") for x in ("none", "cpu")
        )
    )
    session = make_session(results, seed=number)
    env = session.env | {"machine.id": machine, "machine.name": name, "kernel.release": f"6.1.{number // 14}"}
    run = make_run(f"20261101T{number:06d}-{number:020x}", sessions=(msgspec.structs.replace(session, env=env),))
    started = f"2026-11-{1 + number:02d}T02:30:00Z"
    return msgspec.structs.replace(run, label="nightly", studies=("sscl",), started=started, ended=started, **changes)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty-eight nights of one machine, with a step in the middle, and a run of another whose words are hostile."""
    path = tmp_path_factory.mktemp("lab") / "lab.sqlite"
    archive = open_archive(str(path))
    for number in range(28):
        archive.save(_run(number, BENCH, "bench"))
    archive.save(_run(28, OTHER, HOSTILE, target=HOSTILE, status="interrupted"))
    queue = open_queue(str(path))
    queue.add("group-one", [(f"place-{number}", "{}") for number in range(5)])
    queue.add("group-two", [("", "{}")] * 2)
    assert queue.take(HOSTILE, "group-one") is not None
    return path


@pytest.fixture(scope="module")
def page(lab: Path) -> Iterator[Served]:
    """It, served."""
    patch = pytest.MonkeyPatch()
    patch.setenv("XDG_CACHE_HOME", str(lab.parent / "cache"))
    with patch.context(), serving("--archive", str(lab)) as served:
        yield served


def _at(page: str, **query: str) -> str:
    return f"/{page}?{urlencode(query)}"


LAST, FIRST = f"20261101T000027-{27:020x}", f"20261101T000000-{0:020x}"
PAGES = {
    "machines": "/",
    "queue": "/queue",
    "machine": _at("machine", id=BENCH),
    "hostile machine": _at("machine", id=OTHER),
    "study": _at("study", id="sscl"),
    "run": _at("run", id=LAST),
    "compare": _at("compare", a=FIRST, b=LAST),
    "history": _at("history", quantity="interrupt-task-response", machine=BENCH),
}


@pytest.mark.parametrize("name", PAGES)
def test_each_page_is_whole_and_may_load_nothing(page: Served, name: str) -> None:
    reply = page.get(PAGES[name])
    assert (reply.status, reply.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "frame-ancestors 'none'" in reply.headers["content-security-policy"]
    assert reply.headers["content-security-policy"].startswith("default-src 'none'; script-src 'sha256-")
    assert reply.headers["x-content-type-options"] == "nosniff"
    seen = Page(reply.text)
    # Sparklines alone are drawn before: a line each for the two machines on the home page, of which one has a single run.
    assert seen.count("svg") == (1 if name == "machines" else 0)
    assert seen.handlers() == []
    for tag, attributes in seen.elements:
        assert "src" not in attributes, tag
        assert tag not in {"link", "iframe", "form", "object"}
        assert (attributes.get("href") or "#").startswith(("/", "#"))
    allowed = reply.headers["content-security-policy"]
    for script in seen.raw["script"][1:]:
        assert base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() in allowed


def test_the_queue_tells_how_far_each_batch_has_come(page: Served, lab: Path) -> None:
    def batches() -> list[list[object]]:
        found = json.loads(page.get("/queue.json").body)["batches"]
        return [[one[key] for key in ("batch", "done", "failed", "leased", "waiting", "workers")] for one in found]

    at_work = ["group-one", 0, 0, 1, 4, [[HOSTILE, "place-0"]]]
    assert batches() == [["group-two", 0, 0, 0, 2, []], at_work]
    assert f"{HOSTILE} at place-0" in Page(page.get("/queue").text).words.replace("\xa0", " ")
    key = page.get("/queue").headers["etag"]
    queue = open_queue(str(lab))
    lease = queue.take("second", "group-one")
    assert lease is not None
    try:
        for _ in range(100):  # a page is read again after a second
            if page.get("/queue").headers["etag"] != key:
                break
            signal.sigtimedwait([], 0.1)
        assert "second at place-1" in Page(page.get("/queue").text).words.replace("\xa0", " ")
    finally:
        queue.give_back(lease)


def test_a_history_reads_only_the_runs_that_are_new(lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "more.sqlite"
    path.write_bytes(lab.read_bytes())
    asked: list[list[str]] = []
    load = Fleet.load_parts

    def counted(fleet: Fleet, ids: Sequence[str], quantities: Collection[str]) -> tuple[Run, ...]:
        asked.append(list(ids))
        return load(fleet, ids, quantities)

    monkeypatch.setattr(Fleet, "load_parts", counted)
    answers = Answers(Setup(str(path), Bounds(), "auto"))

    def points(**query: str) -> int:
        query = {"quantity": "semaphore-ping", "machine": BENCH, "load": "cpu"} | query
        made = json.loads(answers.answer(PageRequest("history", "json", query)).body)
        return sum(len(series["points"]) for series in made["series"])

    assert points() == 28
    archive = open_archive(str(path))
    archive.save(_run(29, BENCH, "bench"))
    assert points() == 29
    archive.delete(FIRST)
    assert points(limit="40") == 28
    assert points(statistic="p90") == 28
    assert [len(ids) for ids in asked] == [28, 1, 0, 28]


def test_every_link_of_every_page_leads_somewhere(page: Served) -> None:
    links: set[str] = set()
    for path in PAGES.values():
        seen = Page(page.get(path).text)
        links |= {str(attributes["href"]) for tag, attributes in seen.elements if tag == "a" and attributes.get("href")}
    apart = {link for link in links if not link.startswith("#") and not link.startswith(("/compare", "/run?"))}
    # Of runs and comparisons there are many alike: some of them.
    some = sorted(apart) + sorted(link for link in links if link.startswith(("/compare", "/run?")))[:4]
    with ThreadPoolExecutor(4) as several:
        got = dict(zip(some, several.map(page.get, some), strict=True))
    assert len(apart) > 12
    assert {link for link, reply in got.items() if reply.status != 200} == set()


def test_forms_for_programs(page: Served) -> None:
    machines = json.loads(page.get("/machines.json").body)
    assert (machines["schema"], machines["version"]) == ("rtstone.serve.machines", "1.0")
    assert {(one["machine"], one["runs"], one["last"]["status"]) for one in machines["machines"]} == {
        (BENCH, 28, "complete"),
        (OTHER, 1, "interrupted"),
    }
    machine = json.loads(page.get(_at("machine.json", id=BENCH)).body)
    assert machine["runs"][0]["id"] == LAST
    assert len(machine["measured"]) == 4
    assert json.loads(page.get(_at("run.json", id=LAST)).body)["id"] == LAST
    study = json.loads(page.get(_at("study.json", id="sscl")).body)
    assert [run["machine"] for run in study["runs"]] == [BENCH]  # the other's run is not complete
    compared = json.loads(page.get(_at("compare.json", a=FIRST, b=LAST)).body)
    assert compared["schema"] == "rtstone.compare" or "rows" in compared
    history = json.loads(page.get(_at("history.json", quantity="semaphore-ping", machine=BENCH, load="none")).body)
    assert [step["after"] for step in history["series"][0]["steps"]] == [f"20261101T000014-{14:020x}"]
    told = {one["fact"] for one in history["series"][0]["steps"][0]["differences"]}
    assert "kernel.release" in told
    for path in ("/metrics", _at("machine.openmetrics", id=BENCH), _at("run.openmetrics", id=LAST)):
        reply = page.get(path)
        assert reply.headers["content-type"].startswith("application/openmetrics-text")
        families = {family.name for family in text_string_to_metric_families(reply.text)}  # type: ignore[no-untyped-call]
        assert families
    assert 'rtstone_machine_runs{machine="' in page.get("/metrics").text


def test_what_is_not_there_is_said_in_one_line(page: Served) -> None:
    for path, status in {
        "/nothing": 404,
        "/.json": 404,
        "/metrics.json": 404,
        "/machines/": 404,
        "/machines.": 404,
        "/queue.json.json": 404,
        "/run.pdf?id=x": 404,
        _at("run", id="last~99"): 404,
        "/run?id=": 404,
        _at("run", id="../../etc/passwd"): 404,
        _at("run", id="' OR 1=1 --"): 404,
        _at("machine", id="none such"): 404,
        _at("machine", id=BENCH, before="none"): 404,
        _at("study", id="none"): 404,
        _at("history", quantity="none"): 404,
        "/run": 400,
        _at("run", id=LAST, more="x"): 400,
        f"/run?id={LAST}&id={FIRST}": 400,
        _at("history", quantity="semaphore-ping", limit="1000000"): 400,
        _at("history", quantity="semaphore-ping", limit="-1"): 400,
        _at("history", quantity="semaphore-ping", statistic="p200"): 400,
        _at("history", quantity="semaphore-ping", **{"pass": "x"}): 400,
        "/run?id=" + "x" * 5_000: 414,
        "/" + "x" * 30_000: 414,
    }.items():
        reply = page.get(path)
        assert reply.status == status, path[:80]
        assert "Traceback" not in reply.text
    assert json.loads(page.get("/run.json?id=none").body)["error"].startswith("there is no run")
    for path, said in {
        _at("run.json", id="nigthly"): "Did you mean 'nightly'?",
        _at("history.json", quantity="semaphore-pong"): "Did you mean 'semaphore-ping'?",
        _at("study.json", id="ssc"): "Did you mean 'sscl'?",
    }.items():
        error = json.loads(page.get(path).body)["error"]
        assert said in error
        assert "sqlite" not in error  # where the archive is, is not for everybody


def test_a_run_is_found_by_what_the_commands_call_it(page: Served, lab: Path) -> None:
    newest = open_archive(str(lab)).find("last")
    for reference, run_id in {
        "last": newest,
        "last~1": LAST,
        "nightly": newest,
        LAST[-20:]: LAST,
        LAST[:15]: LAST,
        LAST: LAST,
    }.items():
        found = page.get(_at("run.json", id=reference))
        assert (found.status, json.loads(found.body).get("id")) == (200, run_id), reference
    compared = page.get(_at("compare", a="last~28", b="last~1"))
    assert compared.status == 200
    assert "6.1.1" in compared.text


def test_pages_and_metrics_show_the_verdict_of_the_terminal(tmp_path: Path) -> None:
    path = str(tmp_path / "busy.sqlite")
    busy = _run(1, BENCH, "busy-one", host={"cpu.measured.others_percent": "12"}, degraded=())
    open_archive(path).save(busy)
    doubt = "not idle: 12 % used by others"
    assert doubts(busy) == (doubt,)
    answers = Answers(Setup(path, Bounds(), "auto"))

    def got(page: str, form: str = "", **query: str) -> str:
        return answers.answer(PageRequest(page, form, query)).body.decode()

    for page, query in (("machines", {}), ("machine", {"id": BENCH}), ("run", {"id": "last"})):
        words = Page(got(page, **query)).words
        assert doubt in words, page
        assert "doubtful" in words.lower(), page
    (line,) = json.loads(got("machines", "json"))["machines"]
    assert (line["last"]["verdict"], line["last"]["doubts"]) == ("doubtful", [doubt])
    labels = f'{{machine="{BENCH}",name="busy-one"}}'
    metrics = got("machines", "openmetrics")
    assert f"rtstone_machine_last_run_doubtful{labels} 1.0" in metrics
    assert f"rtstone_machine_last_run_complete{labels} 1.0" in metrics


def test_the_home_page_begins_with_what_needs_attention(tmp_path: Path) -> None:
    path = str(tmp_path / "fleet.sqlite")
    archive = open_archive(path)
    changes: dict[str, dict[str, object]] = {
        "failing": {},
        "cut": {"status": "interrupted"},
        "unsure": {},
        "busy": {"host": {"cpu.measured.steal_percent": "3"}},
        "fine": {},
    }
    for number, (name, changed) in enumerate(changes.items()):
        for night in range(3):
            whole = _run(number * 3 + night, f"{number:032x}", name, degraded=())
            archive.save(msgspec.structs.replace(whole, **changed))
    for name, outcome in (("failing", "exceeded"), ("unsure", "inconclusive"), ("fine", "pass")):
        newest = next(run for run in archive.list() if run.machine_name == name)
        archive.record_gate([newest.id], GateVerdict(outcome=outcome, file="gate.toml", at="2026-11-30T03:00:00Z"))  # type: ignore[arg-type]
    seen = Page(Answers(Setup(path, Bounds(), "auto")).answer(PageRequest("machines", "", {})).body.decode())
    places = [seen.words.index(f"{name} ") for name in changes]
    assert places == sorted(places)
    assert seen.count("svg") == 5
    assert all(word in seen.words for word in ("exceeded", "inconclusive", "pass", "not checked", "steal time 3 %"))
    assert "interrupt-task-response" in seen.words


def test_a_better_verdict_of_another_check_file_does_not_hide_a_failed_gate(tmp_path: Path) -> None:
    archive = open_archive(str(tmp_path / "fleet.sqlite"))
    archive.save(_run(0, f"{0:032x}", "bench", degraded=()))
    (run,) = archive.list()
    steps = [
        ("inconclusive", "by-the-way.toml", "inconclusive by-the-way.toml"),
        ("exceeded", "gate.toml", "exceeded gate.toml"),
        ("pass", "by-the-way.toml", "exceeded gate.toml"),
        ("regressed", "nightly.toml", "regressed nightly.toml"),
        ("pass", "nightly.toml", "pass nightly.toml"),
    ]
    for outcome, file, shown in steps:
        archive.record_gate([run.id, "no-such-run"], GateVerdict(outcome=outcome, file=file, at="2026-11-30T03:00:00Z"))  # type: ignore[arg-type]
        setup = Setup(str(archive.location), Bounds(), "auto")
        assert shown in Page(Answers(setup).answer(PageRequest("machines", "", {})).body.decode()).words


def test_a_strange_host_name_and_other_methods_are_turned_away(page: Served) -> None:
    for host in ("lab.example", f"evil.example:{page.port}", "", "localhost.evil.example", "127.0.0.1@evil.example"):
        assert page.get("/", Host=host).status == 421, host
    for host in ("localhost", f"LOCALHOST:{page.port}", "127.0.0.1", "[::1]:1"):
        assert page.get("/", Host=host).status == 200, host
    for method in ("HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        reply = page.get("/", method=method)
        assert (reply.status, reply.headers["allow"]) == (405, "GET"), method


def test_an_answer_is_kept_until_its_runs_change(page: Served, lab: Path) -> None:
    first = page.get(PAGES["run"])
    again = page.get(PAGES["run"], If_None_Match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    machines = page.get("/").headers["etag"]
    number = 29
    open_archive(str(lab)).save(_run(number, "f" * 32, "newcomer"))
    try:
        for _ in range(100):
            if page.get("/").headers["etag"] != machines:
                break
            signal.sigtimedwait([], 0.1)
        assert "newcomer" in page.get("/").text
        assert page.get(PAGES["run"]).headers["etag"] == first.headers["etag"]
    finally:
        open_archive(str(lab)).delete(f"20261101T{number:06d}-{number:020x}")


def test_nothing_that_is_done_with_it_can_write(lab: Path, tmp_path: Path) -> None:
    fleet = open_fleet(str(lab))
    before = hashlib.sha256(lab.read_bytes()).hexdigest()
    for change in (
        lambda: fleet.delete(LAST),
        lambda: fleet.prune(runs_before="2030", act=True),
        lambda: fleet._save(_run(40, BENCH, "x"), (), "", final=True),
    ):
        with pytest.raises(InfrastructureError, match="read-only"):
            change()
    with fleet.reading() as connection:
        for statement in ("DELETE FROM runs", "PRAGMA user_version = 7", "CREATE TABLE x (y)", "VACUUM"):
            with pytest.raises(Exception, match=r"readonly|read-only|transaction"):
                connection.exec_driver_sql(statement)
    missing = open_fleet(str(tmp_path / "none.sqlite"))
    with pytest.raises(InfrastructureError, match="there is no archive"):
        missing.require_reader()
    assert not (tmp_path / "none.sqlite").exists()
    assert hashlib.sha256(lab.read_bytes()).hexdigest() == before


def _ended(*words: str) -> tuple[int, str]:
    env = os.environ | {"PYTHONPATH": str(SRC)}
    done = subprocess.run(command(*words), capture_output=True, text=True, check=False, timeout=120, env=env)
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    return done.returncode, done.stderr


def test_what_cannot_be_served_is_one_line(lab: Path, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, said = _ended("--archive", str(lab), "--bind", f"127.0.0.1:{port}")
        assert (code, "in use" in said) == (3, True), said
    assert _ended("--archive", str(tmp_path / "none.sqlite"))[0] == 3
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as file:
        file.execute("CREATE TABLE x (y)")
    file.close()
    assert _ended("--archive", str(other))[0] == 3
    assert _ended("--archive", str(lab), "--bind", "0.0.0.0:0")[0] == 2


def test_a_token_opens_the_door(lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(lab.parent / "cache"))
    file = tmp_path / "token"
    file.write_text("a-token-of-22-letters!\n")
    file.chmod(0o600)
    words = ("--token-file", str(file), "--name", "lab.example", "--behind-proxy")
    with serving("--archive", str(lab), *words) as served:
        refused = served.get("/")
        assert (refused.status, refused.headers["www-authenticate"][:5]) == (401, "Basic")
        assert served.get("/", Host="lab.example", Authorization="Bearer a-token-of-22-letterS!").status == 401
        assert served.get("/", Host="lab.example", Authorization="Bearer a-token-of-22-letters!").status == 200
        password = base64.b64encode(b"any:a-token-of-22-letters!").decode()
        assert served.get("/metrics", Authorization=f"Basic {password}").status == 200


def test_a_page_that_takes_too_long_is_given_up(lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "none yet"))  # its first page has to make the charts' library
    with serving("--archive", str(lab), "--page-time", "10ms", "--workers", "1") as served:
        assert served.get(PAGES["run"]).status == 503
        children = subprocess.run(
            ["ps", "-o", "args=", "--ppid", str(served.process.pid)], capture_output=True, text=True, check=True
        ).stdout
        assert children.count("_worker") <= 2
        served.process.terminate()
        served.process.wait(timeout=60)


def _read_beside_writers(written: str, read: str, readers: int, writers: int, saves: int) -> None:
    """Every answer is whole, what cannot change is the same to the byte, and every save is kept."""
    with serving("--archive", read) as served, ThreadPoolExecutor(readers + 1) as several:
        told = several.submit(write_all, written, writers, saves)
        names = [list(PAGES)[n % len(PAGES)] for n in range(readers * 4)]
        asked = [(name, several.submit(served.get, PAGES[name])) for name in names]
        refused = {
            (name, one.result().status, one.result().text[-200:]) for name, one in asked if one.result().status != 200
        }
        assert refused == set()
        for name in ("run", "compare"):
            assert len({one.result().body for each, one in asked if each == name}) == 1
        kept = told.result()
        assert kept.failed == []
        assert len(kept.saved) == writers * saves
        for _ in range(100):  # a page is read again after a second
            machines = json.loads(served.get("/machines.json").body)["machines"]
            if sum(one["runs"] for one in machines) == 29 + len(kept.saved):
                break
            signal.sigtimedwait([], 0.1)
        assert sum(one["runs"] for one in machines) == 29 + len(kept.saved)
    assert set(kept.saved) <= {run.id for run in open_archive(read).list()}


@pytest.fixture
def copied(lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_CACHE_HOME", str(lab.parent / "cache"))
    (tmp_path / "lab.sqlite").write_bytes(lab.read_bytes())
    return str(tmp_path / "lab.sqlite")


def test_twenty_readers_beside_four_writers(copied: str) -> None:
    _read_beside_writers(copied, copied, 20, 4, 3)


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_a_hundred_readers_beside_sixteen_writers(copied: str) -> None:
    _read_beside_writers(copied, copied, 100, 16, 20)


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_a_hundred_readers_beside_sixteen_writers_of_a_server(copied: str) -> None:
    with postgresql.running() as server:
        database = server.database()
        url = server.url(database)
        for run in reversed(open_archive(copied).list()):
            open_archive(url).save(open_archive(copied).load(run.id))
        server.sql("CREATE ROLE reader LOGIN")
        open_archive(url).grant("reader", "read")
        _read_beside_writers(url, server.url(database, "reader"), 100, 16, 20)


def test_a_run_that_goes_on_is_shown_as_of_its_last_save(tmp_path: Path) -> None:
    """Not as it was when it was first asked for, under the tag of now."""
    path = tmp_path / "archive.sqlite"
    archive = open_archive(str(path))
    whole = _run(1, BENCH, "bench")
    half = msgspec.structs.replace(whole, status="incomplete", label="half")
    archive.checkpoint(half, [], owner="me")
    answers = Answers(Setup(str(path), Bounds(), "auto"))
    asked = PageRequest("run", "json", {"id": whole.id})
    first = answers.answer(asked)
    assert json.loads(first.body)["label"] == "half"
    archive.save(whole, owner="me")
    second = answers.answer(asked)
    assert second.key != first.key
    shown = json.loads(second.body)
    assert (shown["label"], shown["status"]) == ("nightly", "complete")


def test_the_collector_waits_while_a_page_is_made_and_works_after_it(
    lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enabled: list[bool] = []

    def machines(*_: object, **__: object) -> tuple[()]:
        enabled.append(gc.isenabled())
        return ()

    monkeypatch.setattr(Fleet, "machines", machines)
    answers = Answers(Setup(str(lab), Bounds(), "auto"))
    assert answers.answer(PageRequest("machines", "", {})).status == 200
    assert answers.answer(PageRequest("machines", "", {"nosuch": "1"})).status == 400
    assert (enabled, gc.isenabled()) == ([False], True)


def test_a_history_has_each_run_as_of_its_last_save(tmp_path: Path) -> None:
    """Two saves of one id that agree in status and in how many results there are."""
    path = tmp_path / "archive.sqlite"
    archive = open_archive(str(path))
    early, late = (msgspec.structs.replace(_run(n, BENCH, "bench"), id=_run(1, BENCH, "bench").id) for n in (1, 2))
    archive.checkpoint(early, [], owner="me")
    answers = Answers(Setup(str(path), Bounds(), "auto"))
    asked = PageRequest("history", "json", {"quantity": "semaphore-ping", "machine": BENCH, "load": "cpu"})
    first = answers.answer(asked)
    assert first.status == 200
    assert answers.answer(msgspec.structs.replace(asked, known=first.key)).status == 304
    archive.save(late, owner="me")
    second = answers.answer(msgspec.structs.replace(asked, known=first.key))
    assert (second.status, second.key != first.key) == (200, True)
    fresh = Answers(Setup(str(path), Bounds(), "auto")).answer(asked)
    assert second.body == fresh.body != first.body


@pytest.mark.parametrize(
    ("told", "status"),
    [("{}", 304), ("W/{}", 304), ('"x", W/"y", {}', 304), ("*", 304), ('"x"', 200), ('W/"x" , "y"', 200), ("", 200)],
)
def test_a_client_says_what_it_has_in_every_way(page: Served, told: str, status: int) -> None:
    etag = page.get("/machines.json").headers["etag"]
    assert page.get("/machines.json", If_None_Match=told.format(etag)).status == status
