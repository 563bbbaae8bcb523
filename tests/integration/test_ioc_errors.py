# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Faults that keep an IOC from starting are reported in one line; other faults do not stop it.

Also, which clients may write.
"""

from __future__ import annotations

import os
import shlex
import signal
import socket
import struct
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rtstone.errors import InfrastructureError
from rtstone.ioc import Ioc, IocSettings, find_base
from support.children import alive, children
from support.images import lasting_cache
from support.ioc import MEASURED, PARAMETERS, Client, free_port, private, programs, running

__all__ = ["programs"]  # the fixture

pytestmark = pytest.mark.timeout(300)


def _refusal(programs: Path, settings: IocSettings) -> str:
    with pytest.raises(InfrastructureError) as refused, Ioc(programs, settings):
        pass
    text = str(refused.value)
    assert text.startswith("the IOC did not start (exit code 3): ")
    assert "\n" not in text
    return text


@pytest.mark.parametrize(
    ("which", "variable"), [("ca_port", "EPICS_CA_SERVER_PORT"), ("pva_port", "EPICS_PVA_SERVER_PORT")]
)
def test_a_port_in_use(programs: Path, which: str, variable: str) -> None:
    settings = private()
    port = getattr(settings, which)
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        told = _refusal(programs, settings)
    assert f"port {port} of 127.0.0.1 is in use by another program: set {variable} to another" in told


def test_a_second_ioc_with_the_same_names(programs: Path) -> None:
    settings = private()
    with running(programs, settings) as (_, client):
        told = _refusal(programs, replace(settings, pva_port=free_port()))
        assert "another IOC with these names is running" in told
        assert client.get("count") == 0  # the first one goes on undisturbed


@pytest.mark.parametrize(
    ("line", "wrong", "told"),
    [
        ("iocInit", "iocInitt", "iocInitt"),
        ("samplerPortConfigure(", 'samplerPortConfigure("S1", "nobody")\n#', "there is no such sampler"),
        (
            "engineSamplerConfigure(",
            'engineSamplerConfigure("engine", 1)\n#',
            "its period is 50 to 1000000 microseconds",
        ),
        ("engineSamplerConfigure(", 'engineSamplerConfigure("engine", 1000, 4000)\n#', "there is no such CPU"),
        ("/port.db", "/harbour.db", "harbour.db"),
        ("rtstone.dbd", "marble.dbd", "marble.dbd"),
    ],
)
def test_an_error_in_the_script(programs: Path, root: Path, tmp_path: Path, line: str, wrong: str, told: str) -> None:
    text = (root / "ioc" / "program" / "st.cmd").read_text(encoding="utf-8")
    assert line in text
    script = tmp_path / "st.cmd"
    text = text.replace("${RTSTONE_IOC_ENGINE=} ", "")
    script.write_text(text.replace(line, wrong, 1), encoding="utf-8")
    assert told in _refusal(programs, private(script=script))


def test_a_script_that_is_not_there(programs: Path) -> None:
    done = subprocess.run(
        [programs / "rtstone-ioc", "--no-shell", "nowhere.cmd"], capture_output=True, text=True, check=False, timeout=30
    )
    assert done.returncode == 3
    assert "the script 'nowhere.cmd' cannot be read" in done.stderr


def test_without_the_module_the_ioc_goes_on(programs: Path, tmp_path: Path) -> None:
    missing = tmp_path / "rtstone-probe"
    with running(programs, private(sampler="probe", device=str(missing))) as (ioc, client):
        assert any("no such device: is the module rtstone_probe loaded?; the IOC goes on" in line for line in ioc.lines)
        client.put("startOnce", 1)
        client.until("state", 3)
        named = f"{str(missing)[:100]} of the module rtstone_probe"
        assert client.message() == f"{named}: no such device: is the module rtstone_probe loaded?"
        assert client.message().startswith(client.text("message"))  # which has no room for more
        missing.write_text("no device")
        client.put("startOnce", 1)
        until_message(client, f"{named}: it is not the device of rtstone_probe")
        assert client.text("state") == "failed"
        assert client.get("count") == 0
        assert ioc.poll() is None


def until_message(client: Client, wanted: str) -> None:
    """Wait until the IOC says why it does not measure."""
    end = time.monotonic() + 10
    while (now := client.message()) != wanted:
        assert time.monotonic() < end, now
        time.sleep(0.05)


SAMPLE = struct.Struct("=QQQQQ")
STAGES = ("interruptLatency", "topToBottom", "contextSwitch")


@pytest.fixture
def played(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A device that another program is using. While the file `….busy` exists next to it, opening it is refused."""
    library = tmp_path / "libfake_probe.so"
    source = root / "tests" / "support" / "fake_probe.c"
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    device = tmp_path / "rtstone-probe"
    # Asserted, entered, bottom half, released: 1, 3 and 6 microseconds apart.
    device.write_bytes(b"".join(SAMPLE.pack(at, at + 1000, at + 4000, at + 10_000, 0) for at in range(1, 101)))
    device.with_name("rtstone-probe.busy").touch()
    monkeypatch.setenv("LD_PRELOAD", str(library))
    return device


def test_a_device_that_is_busy(programs: Path, played: Path) -> None:
    """The error is reported once, however often the IOC tries. Once the device is free, the IOC serves its samples."""
    with running(programs, private(sampler="probe", device=str(played))) as (ioc, client):
        named = f"{str(played)[:100]} of the module rtstone_probe"
        busy = f"{named}: another run is using it"
        assert any("another run is using it; the IOC goes on without it" in line for line in ioc.lines)
        client.put("samples", 100)
        client.put("start.SCAN", ".1 second")
        client.until("state", 3)
        time.sleep(1)
        client.put("start.SCAN", "Passive")
        assert client.message() == busy
        assert sum(f"has failed: {busy}" in line for line in ioc.lines) == 1
        assert client.get("count") == 0
        played.with_name("rtstone-probe.busy").unlink()
        client.ask(do="collect", names=["count"], start="startOnce", sets=1, seconds=10)
        assert client.get("interruptLatency") == [1000] * 100
        assert client.get("topToBottom") == [3000] * 100
        assert client.get("topToBottom:count") == 100
        assert client.get("totalResponse:count") == 100
        assert any("is at work again" in line for line in ioc.lines)
        client.put("startOnce", 1)  # what was played has come to its end
        until_message(client, f"{named}: it gives no samples")


def test_all_delays_of_a_sample_are_of_one_interrupt(programs: Path, played: Path) -> None:
    """The stages of each sample are of one interrupt.

    They add up to its total, less the time from bottom half to release.
    """
    played.with_name("rtstone-probe.busy").unlink()
    count, rest = 100, 6000
    with running(programs, private(sampler="probe", device=str(played))) as (_, client):
        client.put("samples", count)
        now = time.monotonic_ns()
        stages = [(now, now + 1000 + 7 * i, now + 3000 + 11 * i, now + 3000 + 11 * i + rest, 0) for i in range(count)]
        played.write_bytes(b"".join(SAMPLE.pack(*stamps) for stamps in stages))
        client.ask(do="collect", names=["count"], start="startOnce", sets=1, seconds=10)
        latency, to_bottom, switch, total = (client.get(name) for name in (*STAGES, "totalResponse"))
        assert latency == [1000 + 7 * i for i in range(count)]
        assert to_bottom == [2000 + 4 * i for i in range(count)]
        assert total == [a + b + rest + c for a, b, c in zip(latency, to_bottom, switch, strict=True)]
        assert min(switch) > 0


def test_an_engine_that_fails_ends_its_sampler_and_not_the_ioc(
    root: Path, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, sign = tmp_path / "libfail_sleep.so", tmp_path / "fail"
    source = root / "tests" / "support" / "fail_sleep.c"
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    monkeypatch.setenv("LD_PRELOAD", str(library))
    monkeypatch.setenv("FAIL_SLEEP", str(sign))
    with running(programs, private()) as (ioc, client):
        client.put("samples", 50)
        client.ask(do="collect", names=["count"], start="startOnce", sets=1, seconds=10)
        sign.touch()
        for _ in range(2):  # it is not tried again in vain
            client.put("startOnce", 1)
            client.until("state", 3)
            assert client.severity("state") == 2
            assert client.message() == (
                "the engine has failed (clock_nanosleep failed); it measures again when the IOC is started anew"
            )
        assert ioc.poll() is None
        assert client.get("count") >= 50
        client.put("clear", 1)
        client.until("count", 0)


def test_an_engine_that_fails_while_it_is_stopped_ends_its_sampler_too(
    root: Path, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody takes samples any more, so the ring fills up and the measuring task stops the timer.

    In the timer's thread that fails permanently.
    """
    library = tmp_path / "libfail_sleep.so"
    source = root / "tests" / "support" / "fail_sleep.c"
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    monkeypatch.setenv("LD_PRELOAD", str(library))
    monkeypatch.setenv("FAIL_SLEEP_WHEN_WOKEN", "1")
    with running(programs, private()) as (ioc, client):
        client.put("samples", 50)
        client.ask(do="collect", names=["count"], start="startOnce", sets=1, seconds=10)
        time.sleep(2)
        client.put("samples", 1000)  # more than the ring has kept
        client.put("startOnce", 1)
        client.until("state", 3)
        assert client.message() == (
            "the engine has failed (clock_nanosleep failed); it measures again when the IOC is started anew"
        )
        assert ioc.poll() is None


def test_nothing_is_heard_beyond_the_loopback_interface(programs: Path) -> None:
    """Of TCP and of UDP, with both protocols: a socket is bound to an address of the interface, or to the interface itself."""
    with running(programs, private()) as (ioc, client):
        assert client.ask(do="pva", name="message")["value"] == ""
        said = subprocess.run(["ss", "-Htulnp"], capture_output=True, text=True, check=True).stdout
        ours = [line.split() for line in said.splitlines() if f"pid={ioc.pid}," in line]
        assert {words[0] for words in ours} == {"tcp", "udp"}
        for words in ours:
            address = words[4].rpartition(":")[0]
            assert address.startswith("127.") or address.endswith("%lo"), words


# ---- which clients may write -----------------------------------------------------------------------------------------

HEADER = struct.Struct(">HHHHII")
VERSION, CREATE, NAME, ACCESS, HOST = 0, 18, 20, 22, 21


def _message(command: int, payload: bytes = b"", count: int = 0, first: int = 0, second: int = 0) -> bytes:
    padded = payload + b"\0" * (-len(payload) % 8)
    return HEADER.pack(command, len(padded), 0, count, first, second) + padded


def _rights(settings: IocSettings, source: str, said: str) -> int:
    """The rights that the server gives to a client at `source` that says it is at `said`: 1 read, 2 write."""
    where = (settings.interface, settings.ca_port)
    with socket.create_connection(where, timeout=10, source_address=(source, 0)) as server:
        server.sendall(
            _message(VERSION, count=13)
            + _message(NAME, b"root\0")
            + _message(HOST, said.encode() + b"\0")
            + _message(CREATE, b"rtstone:limit\0", first=1, second=13)
        )
        received = b""
        while True:
            received += server.recv(4096)
            at = 0
            while at + HEADER.size <= len(received):
                command, size, _, _, _, rights = HEADER.unpack_from(received, at)
                if command == ACCESS:
                    assert isinstance(rights, int)
                    return rights
                at += HEADER.size + size


def test_only_this_machine_may_write(programs: Path) -> None:
    """127.0.0.2 stands for a stranger: the connection's address counts, whatever name the client gives itself."""
    with running(programs, private()) as (ioc, _):
        assert _rights(ioc.settings, "127.0.0.1", "elsewhere") == 3
        assert _rights(ioc.settings, "127.0.0.2", "elsewhere") == 1
        assert _rights(ioc.settings, "127.0.0.2", "localhost") == 1
        assert _rights(ioc.settings, "127.0.0.2", "127.0.0.1") == 1


def test_on_another_interface_this_machine_comes_from_the_address_of_that(programs: Path) -> None:
    with running(programs, private(interface="127.0.0.2", pva_port=None)) as (ioc, _):
        assert _rights(ioc.settings, "127.0.0.2", "elsewhere") == 3
        assert _rights(ioc.settings, "127.0.0.1", "elsewhere") == 3
        assert _rights(ioc.settings, "127.0.0.3", "127.0.0.2") == 1


PUT = """import sys
from p4p.client.thread import Context
with Context("pva", nt=False) as context:
    print(context.get(sys.argv[1], timeout=5)["value"])
    context.put(sys.argv[1], {"value": 4711}, timeout=5)
"""


def test_only_this_machine_may_write_by_pv_access(root: Path, programs: Path, tmp_path: Path) -> None:
    stranger = tmp_path / "libstranger.so"
    source = root / "tests" / "support" / "stranger.c"
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", str(stranger), str(source)], check=True)
    with running(programs, private()) as (ioc, client):
        before = client.get("limit")
        command = [sys.executable, "-c", PUT, f"{ioc.settings.prefix}limit"]
        own = os.environ | ioc.environment
        refused = subprocess.run(
            command, env=own | {"LD_PRELOAD": str(stranger)}, capture_output=True, text=True, check=False, timeout=60
        )
        assert refused.stdout == f"{before}\n", refused.stderr  # anyone may read
        assert refused.returncode != 0
        assert "RemoteError" in refused.stderr
        assert client.get("limit") == before
        subprocess.run(command, env=own, capture_output=True, check=True, timeout=60)
        assert client.get("limit") == 4711


def test_it_listens_to_the_loopback_interface_only(programs: Path) -> None:
    with running(programs, private()) as (ioc, _):
        sockets = {str(file.readlink()) for file in Path(f"/proc/{ioc.pid}/fd").iterdir() if file.is_symlink()}
        listening = [line.split() for line in Path("/proc/net/tcp").read_text(encoding="utf-8").splitlines()[1:]]
        ours = [row[1] for row in listening if row[3] == "0A" and f"socket:[{row[9]}]" in sockets]
        assert {entry.split(":")[0] for entry in ours} == {"0100007F"}
        assert {int(entry.split(":")[1], 16) for entry in ours} == {ioc.settings.ca_port, ioc.settings.pva_port}


# ---- the command -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--load", "0"), "--load: at least 1 record, not 0"),
        (("--load", "10000000"), "--load: a number from 1 to 1000000, not 10000000"),
        (("--period", "1us"), "--period: a time from 50us to 1s, not 1us"),
        (("--sampler", "guess"), "--sampler: one of engine, split, probe, not 'guess'"),
        (("--scan", "hourly"), "--scan: one of Passive"),
        (("--interface", "everywhere"), "--interface: an IPv4 address of this machine, not 'everywhere'"),
        (("--prefix", "a b"), "--prefix: 1 to 30 letters"),
        (("--port", "80"), "--port: a number from 1024 to 65534, not 80"),
        (("--script", "nowhere.cmd"), "--script: there is no file nowhere.cmd"),
        (("--duration", "-1"), "--duration takes a time above 0"),
    ],
)
def test_the_command_refuses_what_cannot_be(root: Path, words: tuple[str, ...], told: str) -> None:
    done = _command(root, *words)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def _environment(root: Path) -> dict[str, str]:
    with lasting_cache(root):
        return os.environ | {"PYTHONPATH": str(root / "src")}


def _command(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rtstone", "ioc", *words],
        env=_environment(root),
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )


def test_the_command_starts_it_with_its_load_and_accounts_for_it(root: Path) -> None:
    import json

    port = free_port()
    words = ("--load", "200", "--pause", "0.3", "--duration", "3", "--port", str(port), "--pva-port", str(port + 2))
    done = _command(root, *words, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["schema"] == "rtstone.ioc"
    assert found["environment"]["EPICS_CA_SERVER_PORT"] == str(port)
    assert found["load"]["caput"]["bursts"] >= 2
    assert found["load"]["caput"]["failed"] == 0
    assert found["load"]["camonitor"]["lost"] == 0
    measured = found["measured"]
    assert (measured["port"], set(measured["delays"])) == ("S1", set(PARAMETERS))
    for name, delay in measured["delays"].items():
        count = measured["samples"] if name in MEASURED else 0
        assert (delay["count"], sum(delay["histogram"])) == (count, count), name
        assert (delay["min_ns"] is None) == (count == 0), name
    assert measured["samples"] >= 1000
    assert len(measured["edges_ns"]) == len(measured["delays"]["totalResponse"]["histogram"])


def test_the_printed_environment_is_all_that_the_script_needs(root: Path) -> None:
    port = free_port()
    done = _command(root, "--print-env", "--port", str(port), "--pva-port", "0", "--prefix", "by:hand:")
    assert done.returncode == 0, done.stderr
    *lines, command = done.stdout.splitlines()
    assert all(line.startswith("export ") for line in lines)
    assert command.startswith("# then: ")
    program, script = shlex.split(command.removeprefix("# then: "))
    # Only these variables, and those that every process has.
    own = f"env -i PATH=/usr/bin:/bin sh -c '. /dev/stdin; exec {program} {script} </dev/null'"
    text = "\n".join(lines)
    started = subprocess.run(own, shell=True, input=text, capture_output=True, text=True, check=False, timeout=60)  # noqa: S602
    assert started.returncode == 0, started.stderr
    assert "rtstone-ioc: running" in started.stdout
    refused = _command(root, "--print-env", "--load", "5")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)


def test_the_printed_line_leads_a_client_there(root: Path) -> None:
    """Ports of EPICS's own variables are served, and the line that says how to see it needs nothing else."""
    port = free_port()
    places = {"EPICS_CA_SERVER_PORT": str(port), "EPICS_PVAS_SERVER_PORT": str(port + 2)}
    program = subprocess.Popen(
        [sys.executable, "-m", "rtstone", "ioc", "--prefix", "told:"],
        env=_environment(root) | places,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    try:
        said = []
        for line in program.stdout:
            said.append(line.strip())
            if line.startswith("to see it: "):
                break
        assert said[0] == f"serving told:* by Channel Access 127.0.0.1:{port}; PV Access 127.0.0.1:{port + 2}"
        words = said[-1].removeprefix("to see it: ").split()
        found = dict(word.split("=") for word in words if "=" in word)
        command, *names = (word for word in words if "=" not in word)
        assert command == "camonitor"
        asking = "import asyncio, sys, aioca\nprint(*asyncio.run(aioca.caget(sys.argv[1:], timeout=10)))"
        own = {name: value for name, value in os.environ.items() if not name.startswith("EPICS_")}
        done = subprocess.run(
            [sys.executable, "-c", asking, *names],
            env=own | found | {"EPICS_CA_REPEATER_PORT": str(port + 1)},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        assert len(done.stdout.split()) == len(names) > 0
    finally:
        program.terminate()
        program.wait(20)
        program.stdout.close()


STRANGE = "192.0.2.1"  # of documentation's own network: nobody has it
BASE_TRIES_S = 60
"""How long base goes on in silence with an address that it cannot have."""


@pytest.mark.parametrize("address", [STRANGE, "127.255.255.255", "224.0.0.1", "255.255.255.255"])
def test_an_interface_that_is_not_ours_is_refused_before_anything_starts(root: Path, address: str) -> None:
    done = _command(root, "--interface", address, "--port", str(free_port()), "--pva-port", "0")
    assert done.returncode == 2
    assert done.stderr == f"rtstone: --interface: this machine has no interface with the address {address}\n"


def test_a_script_of_ones_own_on_an_interface_that_is_not_ours(root: Path, programs: Path) -> None:
    ours = root / "ioc"
    settings = private(pva_port=None)
    environment = settings.server_environment() | {
        "EPICS_CAS_INTF_ADDR_LIST": STRANGE,
        "RTSTONE_IOC_DB": f"{ours}/database",
    }
    environment |= {"RTSTONE_IOC_BASE_DBD": str(find_base().core / "dbd"), "RTSTONE_IOC_DBD": f"{ours}/support"}
    environment |= {"RTSTONE_IOC_ACF": f"{ours}/database/access.acf"}
    began = time.monotonic()
    done = subprocess.run(
        [programs / "rtstone-ioc", "--no-shell", ours / "program" / "st.cmd"],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 3
    assert f"this machine has no interface with the address {STRANGE}: see EPICS_CAS_INTF_ADDR_LIST" in done.stderr
    assert time.monotonic() - began < BASE_TRIES_S / 2


def test_the_command_says_that_there_is_no_module(root: Path) -> None:
    port = free_port()
    done = _command(
        root, "--sampler", "probe", "--scan", "Passive", "--duration", "1", "--port", str(port), "--pva-port", "0"
    )
    assert done.returncode == 0, done.stderr
    told = "no such device: is the module rtstone_probe loaded?; the IOC goes on without it"
    assert (told in done.stdout) == (not Path("/dev/rtstone-probe").exists())


SOON_S = 2.0
"""In which all of it is gone. Clients that ask an IOC that has gone too would wait for half a minute."""


@pytest.mark.parametrize("pause", ["0", "60"])
@pytest.mark.parametrize("killed", ["the command", "the IOC"])
def test_killed_it_leaves_nothing_behind(root: Path, tmp_path: Path, killed: str, pause: str) -> None:
    """Neither processes nor files, in bursts and between them."""
    port = free_port()
    words = ("--load", "2000", "--pause", pause, "--port", str(port), "--pva-port", "0", "--prefix", "killed:")
    environment = _environment(root) | {"TMPDIR": str(tmp_path)}
    program = subprocess.Popen(
        [sys.executable, "-m", "rtstone", "ioc", *words], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    try:
        assert any("burst 1" in line for line in program.stdout)
        started = children(program.pid)
        assert len(started) == 3
        (served,) = (child for child in started if b"rtstone-ioc" in Path(f"/proc/{child}/cmdline").read_bytes())
        os.kill(program.pid if killed == "the command" else served, signal.SIGKILL)
        end = time.monotonic() + SOON_S
        while any(alive(child) for child in started):
            assert time.monotonic() < end, "children live on"
            time.sleep(0.02)
        assert program.wait(10) == (-signal.SIGKILL if killed == "the command" else 3)
        assert list(tmp_path.iterdir()) == []
    finally:
        program.kill()
        program.wait(10)
        program.stdout.close()
