# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The records inside an EPICS application on RTEMS, by the lines of docs/how-to/measure-inside-your-rtems-ioc.md.

base's makeBaseApp.pl makes the application, with the installations of `make test-rtems-ioc`. A client on this machine reads the
records through the emulator's user network.
"""

from __future__ import annotations

import math
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rtstone.targets import boards
from support.ioc import Client, free_port, private

pytestmark = [pytest.mark.rtems_ioc, pytest.mark.timeout(600)]

BOARD, KERNEL, TARGET = "zynq-a9", "rtems-ioc", "RTEMS-xilinx_zynq_a9_qemu"
PAGE = Path("docs/how-to/measure-inside-your-rtems-ioc.md")
SET = 1000
BOOT_S = 240
SCRIPT = """dbLoadDatabase("dbd/my.dbd")
my_registerRecordDeviceDriver(pdbbase)
{page}
engineSamplerConfigure("another", 1000, -1)
iocInit
"""
MEMORY = """
my_files.c: ../../../st.cmd ../../../dbd/my.dbd $(wildcard ../../../db/*) ../start.c
	perl $(EPICS_BASE)/bin/$(EPICS_HOST_ARCH)/epicsMakeMemFs.pl $@ epicsRtemsFSImage $(filter-out %.c,$^)
	cat ../start.c >> $@
"""
START = """#include <stdint.h>
int epicsRtemsMountLocalFilesystem(char **argv) { argv[1] = "/st.cmd"; return epicsMemFsLoad(epicsRtemsFSImage); }
void *_CPU_Thread_Idle_body(uintptr_t unused) { (void)unused; for (;;) __asm__ volatile("" : : : "memory"); }
"""
"""The files are in the image, as there is no file server, and idle RTEMS does not halt the processor (the page says why)."""


def _blocks(page: str) -> list[list[str]]:
    """The lines of each indented block."""
    found: list[list[str]] = [[]]
    for line in page.splitlines():
        if line.startswith("    "):
            found[-1].append(line[4:])
        elif found[-1]:
            found.append([])
    return [block for block in found if block]


def _do(command: list[str], folder: Path, home: Path) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"HOME": str(home), "USER": "user"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stdout[-3000:]}"


def _add(makefile: Path, block: list[str]) -> None:
    """Replace the lines that makeBaseApp.pl wrote by those of the page."""
    product, base, ours, library, libraries = (line.partition("#")[0].rstrip() for line in block)
    text = makefile.read_text()
    for old, new in (
        ("PROD_IOC = my", product),
        (base, f"{base}\n{ours}"),
        (libraries, f"{library}\n{libraries}\nmy_SRCS += my_files.c"),
    ):
        assert text.count(f"\n{old}\n") == 1, old
        text = text.replace(f"\n{old}\n", f"\n{new}\n")
    makefile.write_text(text + MEMORY)


@pytest.fixture(scope="module")
def image(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home, base = tmp_path_factory.mktemp("home"), Path(os.environ["EPICS_BASE"])
    (home / "rtstone").symlink_to(root)
    top = home / "application"
    top.mkdir()
    folder, makefile, script = _blocks((root / PAGE).read_text())[:3]
    (tool,) = base.glob("bin/*/makeBaseApp.pl")
    _do(["perl", str(tool), "-t", "ioc", "my"], top, home)
    _do(["sh", "-c", "\n".join(folder)], top, home)
    _add(top / "myApp" / "src" / "Makefile", makefile)
    (top / "myApp" / "src" / "start.c").write_text(START)
    (top / "st.cmd").write_text(SCRIPT.format(page="\n".join(script)))
    # What base does not have for RTEMS 6. Base 7.0.9 and later set RTEMS_HAS_NETWORKING and link libbsd; base 7.0.8 links it for `no`.
    # A libbsd without tcpdump, which the shell of EPICS names, serves too.
    libraries = Path(os.environ["RTEMS_PREFIX"]) / "arm-rtems6" / "xilinx_zynq_a9_qemu" / "lib"
    (top / "configure" / "CONFIG_SITE.local").write_text(
        "RTEMS_HAS_NETWORKING := $(or $(RTEMS_HAS_NETWORKING),no)\n"
        f"USR_LDFLAGS_RTEMS += -B{libraries} -qrtems -Wl,--defsym=rtems_bsd_command_tcpdump=0\n"
    )
    _do(["make", "-s"], top, home)
    return top / "bin" / TARGET / "my"


@pytest.fixture(scope="module")
def ioc(image: Path) -> Iterator[tuple[Client, str]]:
    """A client of the IOC, and the text of its console up to the end of iocInit."""
    facts, folder, port = boards.load(BOARD), image.parent, free_port()
    values = {"image": str(image), "records": f"file,path={boards.option_value(folder / 'records')}", "seed": "1"}
    command = boards.command(facts, facts.kernel_of(KERNEL), values=values, plan=None)
    network = ["-nic", f"user,model=cadence_gem,hostfwd=tcp:127.0.0.1:{port}-:5064"]
    console = folder / "console"
    console.touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPICS_CA_NAME_SERVERS", f"127.0.0.1:{port}")
        emulator = subprocess.Popen([*command, "-serial", f"file:{console}", *network], stdin=subprocess.DEVNULL)
        client = Client(private(prefix="my:"))
        try:
            end = time.monotonic() + BOOT_S
            while "iocRun: All initialization complete" not in (text := console.read_text(errors="replace")):
                assert emulator.poll() is None, text[-2000:]
                assert "*** FATAL ***" not in text, text[-3000:]
                assert time.monotonic() < end, text[-2000:]
                time.sleep(0.5)
            yield client, text
        finally:
            client.end()
            emulator.kill()
            emulator.wait()


def test_a_set_is_counted_and_its_statistics_are_those_of_its_values(ioc: tuple[Client, str]) -> None:
    client, _ = ioc
    client.until("state", 1, 60)  # it measures by itself, as the page says
    client.put("start.SCAN", "Passive")
    client.until("state", 0, 60)
    client.put("clear", 1)
    client.until("count", 0, 60)
    client.put("startOnce", 1)
    client.until("count", SET, 60)
    for parameter in ("interruptLatency", "contextSwitch", "totalResponse"):
        values = sorted(client.get(parameter))
        assert len(values) == SET == client.get(f"{parameter}:count") == sum(client.get(f"{parameter}:histogram"))
        assert values[0] > 0
        assert (client.get(f"{parameter}:min"), client.get(f"{parameter}:max")) == (values[0], values[-1])
        assert client.get(f"{parameter}:median") == pytest.approx(values[(SET - 1) // 2], rel=0.001)
    assert client.get("interruptLatency:max") < 100_000
    assert math.isnan(client.get("topToBottom:median"))
    assert client.severity("topToBottom:median") == 3
    client.put("limit", 1)
    assert client.get("totalResponse:over") == SET


def test_the_health_of_the_image(ioc: tuple[Client, str]) -> None:
    client, _ = ioc
    assert client.text("realtime") == "SCHED_FIFO"
    assert 0 < client.get("openFiles") < client.get("mostFiles") == 64
    assert 1000 < client.get("memory") < 512 * 1024
    end = time.monotonic() + 60
    while (load := client.get("cpuLoad")) == 0:  # a share of the time since the last scan, of 10 s
        assert time.monotonic() < end
        time.sleep(0.5)
    assert 0 < load < 100
    assert client.get("caClients") >= 1
    assert client.text("baseVersion").startswith("7.")


def test_a_second_sampler_is_refused_and_the_ioc_starts(ioc: tuple[Client, str]) -> None:
    _, console = ioc
    assert "engineSamplerConfigure: sampler 'another': there is one already, and the engine has one timer" in console
