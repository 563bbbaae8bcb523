# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A kernel that the user installs: the message where it is missing, and that nothing is left out in silence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rtstone.cli import main
from rtstone.errors import UsageError
from rtstone.targets import expand, matching, not_installed
from rtstone.targets.boards import _installed, firmware

TARGET = "board:mps2-an385/threadx"
FILES = ("include/tx_api.h", "include/tx_port.h", "lib/libthreadx.a")
UNNAMED = f"THREADX_PREFIX must name the folder of an installed ThreadX ({', '.join(FILES)})"
RTEMS = "board:zynq-a9/rtems"
IOC = f"{RTEMS}-ioc"
VARIANTS = {f"{IOC}-unchecked", f"{IOC}-preemptible", f"{IOC}-unchecked-preemptible", "board:zynq-a9-link/rtems-ioc"}


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that looks like an installed one."""
    for name in FILES:
        (tmp_path / "installed" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "installed" / name).write_text("nothing")
    monkeypatch.setenv("THREADX_PREFIX", str(tmp_path / "installed"))
    return tmp_path / "installed"


def _run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out, said.err


def test_the_list_says_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _run(capsys, "boards")
    (line,) = [line for line in out.splitlines() if line.startswith(TARGET)]
    assert code == 0
    assert line.endswith(UNNAMED)
    kernels = [one for board in json.loads(_run(capsys, "boards", "--json")[1])["boards"] for one in board["kernels"]]
    needed = {one["target"]: one["needs"] for one in kernels if one["needs"]}
    assert needed.keys() == {TARGET, RTEMS, f"{RTEMS}-pthread", IOC, *VARIANTS}
    assert {needed[one] for one in VARIANTS} == {needed[IOC]}
    assert needed[TARGET] == UNNAMED
    assert needed[RTEMS].startswith("RTEMS_PREFIX must name the folder of an installed RTEMS (bin/arm-rtems6-gcc, ")
    assert not any(one["cached"] for one in kernels if one["needs"])


def test_a_run_of_it_says_so_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = _run(capsys, "run", "-t", TARGET, "-s", "slac", "-r", "1", "--no-archive", "-q")
    assert code == 3
    assert err.splitlines()[-1].endswith(f"{TARGET} cannot be built yet: {UNNAMED}")


def test_one_that_brings_its_compiler_is_asked_for_and_no_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert firmware.missing("zynq-a9", "rtems") == []
    code, _, err = _run(capsys, "run", "-t", RTEMS, "-s", "slac", "-r", "1", "--no-archive", "-q")
    assert code == 3
    assert (
        f"{RTEMS} cannot be built yet: RTEMS_PREFIX must name the folder of an installed RTEMS ("
        in err.splitlines()[-1]
    )


def test_a_header_that_is_named_decides_the_image_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RTEMS_PREFIX", str(tmp_path))
    header = tmp_path / "arm-rtems6/xilinx_zynq_a9_qemu/lib/include/bspopts.h"
    header.parent.mkdir(parents=True)
    header.touch()
    files = list(_installed.inputs(firmware.sources_root(), "rtems"))
    assert (tmp_path, header) in files


def test_of_two_installations_the_first_file_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = _installed._said(firmware.sources_root(), "rtems-ioc")
    rtems, base = tmp_path / "rtems", tmp_path / "base"
    for place, one in ((rtems, said), (base, said.also[0])):
        for name in (file.replace("*", "linux-x86_64") for file in one.files):
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).touch()
    page = "; see ports/rtems-ioc/README.md"
    assert firmware.needs("rtems-ioc").startswith(
        "RTEMS_PREFIX must name the folder of an installed RTEMS with libbsd ("
    )
    monkeypatch.setenv("RTEMS_PREFIX", str(rtems))
    assert firmware.needs("rtems-ioc").startswith(
        "EPICS_BASE must name the folder of an installed EPICS base, cross-built "
    )
    monkeypatch.setenv("EPICS_BASE", str(base))
    assert firmware.needs("rtems-ioc") == ""
    assert (base, base / "dbd/softIoc.dbd") in _installed.inputs(firmware.sources_root(), "rtems-ioc")
    library = "lib/RTEMS-xilinx_zynq_a9_qemu/libdbCore.a"
    (base / library).unlink()
    assert firmware.needs("rtems-ioc") == f"EPICS_BASE is {base}, where there is no {library}{page}"
    tool = base / "bin/linux-x86_64/registerRecordDeviceDriver.pl"
    tool.unlink()
    assert firmware.needs("rtems-ioc").endswith(f"there is no bin/*/registerRecordDeviceDriver.pl{page}")
    (rtems / "arm-rtems6/xilinx_zynq_a9_qemu/lib/libbsd.a").unlink()
    assert firmware.needs("rtems-ioc").endswith(f"there is no arm-rtems6/xilinx_zynq_a9_qemu/lib/libbsd.a{page}")


def test_the_files_of_another_port_that_it_shares_decide_the_image_too() -> None:
    root = firmware.sources_root()
    for board, kernel, file in (
        ("zynq-a9", "rtems-pthread", "rtems/sleep.c"),
        ("zynq-a9", "rtems-ioc", "rtems/sleep.c"),
        ("mps2-an385", "freertos-rust", "freertos/queue.c"),
    ):
        assert root / "ports" / file in set(firmware._inputs(root, board, kernel))


def test_the_records_that_an_image_holds_decide_it_too() -> None:
    inputs = set(firmware._inputs(firmware.sources_root(), "zynq-a9-link", "rtems-ioc"))
    assert {file.name for file in inputs if file.suffix in {".db", ".dbd"}} >= {"account.db", "account.dbd"}


def test_a_pattern_leaves_it_out_and_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert TARGET not in expand(["board:mps2-an385/*"])
    assert TARGET.removeprefix("board:") not in matching("mps2-an385", on_demand=True)
    for patterns in (["board:mps2-an385/*"], ["mps2-an385"], ["mps2-*/*", "mps2-an385/t*"]):
        assert not_installed(patterns) == (f"{TARGET} is left out: {UNNAMED}",)
    assert not_installed(["local", TARGET, "board:arm64/*", "emulator"]) == ()
    with pytest.raises(UsageError, match="are not installed: THREADX_PREFIX must name"):
        matching("mps2-an385/t*")
    code, _, err = _run(capsys, "boards", "--build", "mps2-an385/t*")
    assert (code, len(err.splitlines())) == (2, 1)


def test_an_incomplete_one_is_named(prefix: Path) -> None:
    assert firmware.needs("threadx") == ""
    assert TARGET in expand(["board:mps2-an385/*"])
    assert not_installed(["mps2-an385"]) == ()
    (prefix / "lib" / "libthreadx.a").unlink()
    assert firmware.needs("threadx") == f"THREADX_PREFIX is {prefix}, where there is no lib/libthreadx.a"


def test_another_library_is_another_image(prefix: Path) -> None:
    def name() -> str:
        return firmware._cache_name("mps2-an385", "threadx", for_tests=False)

    seen = {name()}
    for number, file in enumerate(FILES):
        (prefix / file).write_text(f"another {number}")
        assert name() not in seen
        seen.add(name())
    (prefix / "include" / "tx_user.h").write_text("#define TX_MAX_PRIORITIES 64")
    assert name() not in seen
