# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Compares our IOC with base's own softIoc with the same records, by catime, caEventRate and the load's clients.

All run on loopback at the same time. Each is asked in turn, in a random order, and ours takes samples while it is its
turn. A second softIoc shows the method's result for two that are certainly alike. A third one has our access rules: it
shows what these cost a connection.
"""

from __future__ import annotations

import argparse
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from os import environ
from pathlib import Path

from bench.ioc import clients
from bench.ioc.clients import FIGURES, Served
from bench.lib import engine, rounds
from bench.lib.estimate import median
from bench.lib.line import Line, failure, tell

from rtstone.errors import InfrastructureError
from rtstone.ioc import build, find_base
from support.ioc import Client, private, running

REPETITIONS = 10
START_S = 30.0
RULES = engine.ROOT / "ioc" / "database" / "access.acf"
WITH_RULES = ("ioc_connect_vs_softioc_with_rules", "softioc_with_rules_connect_vs_softioc")
LINES = (
    *(name for figure in FIGURES for name in (f"ioc_{figure}_vs_softioc", f"softioc_{figure}_vs_itself")),
    *WITH_RULES,
)


@contextmanager
def soft_ioc(folder: Path, place: Path, rules: Path | None = None) -> Iterator[Served]:
    """A softIoc of base's with the load's records and catime's, and access rules if asked."""
    settings = private(pva_port=None)
    database = place / "soft.db"
    records = engine.output([folder / "rtstone-createdb", str(clients.RECORDS), f"{settings.prefix}load:"])
    database.write_text(records + clients.database(settings.prefix), encoding="utf-8")
    definitions = find_base().core / "dbd"
    command = [str(clients.PEERS / "softIoc"), "-D", str(definitions / "base.dbd"), "-d", str(database), "-S"]
    command += ["-m", "INTERFACE=127.0.0.1", "-a", str(rules)] if rules else []
    own = settings.server_environment() | {"EPICS_DB_INCLUDE_PATH": str(definitions)}
    with subprocess.Popen(
        command, env=environ | own, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as program:
        try:
            _wait_until_served(program, settings.ca_port)
            yield Served(settings.client_environment(), settings.prefix)
        finally:
            program.kill()


def _wait_until_served(program: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and program.poll() is None:
        with socket.socket() as asker:
            if asker.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise engine.BenchError("softIoc does not come to serve")


@contextmanager
def our_ioc(folder: Path, place: Path) -> Iterator[tuple[Served, Client]]:
    """Ours with the same records, beside its own, and a client that starts and stops its sampling."""
    database = place / "catime.db"
    script = place / "st.cmd"
    text = (engine.ROOT / "ioc" / "program" / "st.cmd").read_text(encoding="utf-8")
    script.write_text(text.replace("\niocInit\n", f'\ndbLoadRecords("{database}")\niocInit\n'), encoding="utf-8")
    settings = private(load=clients.RECORDS, pva_port=None, script=script)
    database.write_text(clients.database(settings.prefix), encoding="utf-8")
    with running(folder, settings) as (ioc, client):
        client.put("samples", 100)  # of 1 ms each: it is never without a set under way
        yield Served(ioc.environment, settings.prefix), client


def once(folder: Path, served: Served) -> dict[str, float]:
    """All figures of one IOC, in microseconds an operation."""
    return clients.catime(served) | clients.event_rate(served, folder) | clients.load(served, folder)


def measure(folder: Path, repetitions: int) -> dict[str, list[dict[str, float]]]:
    """Side -> its figures, a round each."""
    with (
        tempfile.TemporaryDirectory() as first,
        tempfile.TemporaryDirectory() as second,
        tempfile.TemporaryDirectory() as third,
        soft_ioc(folder, Path(first)) as soft,
        soft_ioc(folder, Path(second)) as again,
        soft_ioc(folder, Path(third), RULES) as ruled,
        our_ioc(folder, Path(first)) as (ours, client),
    ):

        def turn(served: Served) -> dict[str, float]:
            client.put("start.SCAN", ".1 second" if served is ours else "Passive")
            return clients.catime(served) if served is ruled else once(folder, served)

        served = {"ours": ours, "soft": soft, "soft again": again, "soft with rules": ruled}
        sides = {side: partial(turn, of_side) for side, of_side in served.items()}
        found = rounds.by_turns("ioc: round", sides, repetitions)
        if client.get("sets") < repetitions:
            raise engine.BenchError("the IOC took no samples while it was its turn")
    return found


def lines(found: dict[str, list[dict[str, float]]]) -> Iterator[Line]:
    """Two lines for each figure, ours beside softIoc, and softIoc beside itself; then what of connecting is the access rules."""
    for figure in FIGURES:
        ours, soft, again = ([of_round[figure] for of_round in found[side]] for side in ("ours", "soft", "soft again"))
        for name, one, others in (
            (f"ioc_{figure}_vs_softioc", ours, (soft, again)),
            (f"softioc_{figure}_vs_itself", soft, (again,)),
        ):
            yield rounds.held(name, one, *others, detail={"us": median(one), "softIoc us": median(others[0])})
    ours, soft, again, ruled = (
        [of_round["connect"] for of_round in found[side]] for side in ("ours", "soft", "soft again", "soft with rules")
    )
    like, price = WITH_RULES
    yield rounds.held(like, ours, ruled, detail={"us": median(ours), "softIoc with rules us": median(ruled)})
    yield rounds.held(price, ruled, soft, again, detail={"us": median(ruled), "softIoc us": median(soft)})


def main() -> None:
    """Measure all IOCs, interleaved, and print the lines."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--repetitions", type=int, default=REPETITIONS, help="rounds")
    repetitions = arguments.parse_args().repetitions
    try:
        for line in lines(measure(build(), repetitions)):
            tell(line)
    except (engine.BenchError, InfrastructureError) as error:
        for name in LINES:
            tell(failure(name, str(error)))


if __name__ == "__main__":
    main()
