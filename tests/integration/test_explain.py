# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone explain` as a user runs it: it repeats a board's saved run to the byte, and explains its late sample."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any
from uuid import uuid4

import jsonschema
import pytest

from rtstone.archive import open_archive
from rtstone.targets.boards import firmware
from support.board_command import Command, Ended, rtstone
from support.schemas import schema
from support.trace_events import slices

__all__ = ["rtstone"]  # the fixture

RUN = ("run", "-m", "interrupt-response", "-r", "1", "--seed", "5", "--json")


def _explained(ended: Ended) -> Any:
    assert ended.code == 0, ended.err
    made = json.loads(ended.out)
    jsonschema.validate(made, schema("explanation"))
    assert sum(stage["ticks"] for stage in made["sample"]["stages"]) == made["sample"]["ticks"]
    return made


def _samples(kept: Ended, load: str) -> Any:
    (run,) = json.loads(kept.out)["runs"]
    (found,) = [
        result
        for result in run["sessions"][0]["results"]
        if result["quantity"] == "interrupt-task-response" and result["variant"]["load"] == load
    ]
    return found


@pytest.mark.parametrize(
    ("target", "loads", "slack", "vectors"),
    [
        ("arm64/bare", "none,traffic", 0, {"board_vectors"}),
        ("arm64/freertos", "none,traffic", 0, {"_freertos_vector_table"}),
        ("mps2-an385/freertos", "none,traffic", 1, {"timer_entry", "PendSV_Handler"}),
        *(
            pytest.param(
                f"zynq-a9/{kernel}",
                "none,traffic",
                1,
                {"board_kernel_vectors", "switch and return"},
                marks=pytest.mark.rtems,
            )
            for kernel in ("rtems", "rtems-pthread")
        ),
        *(
            pytest.param(target, loads, slack, vectors, marks=pytest.mark.long)
            for target, loads, slack, vectors in [
                ("mps2-an385/bare", "none,traffic", 1, {"timer_entry"}),
                ("mps2-an385/rt", "none,traffic", 1, {"timer_entry", "PendSV_Handler"}),
                ("mps2-an385/freertos-rust", "none,traffic", 1, {"timer_entry", "PendSV_Handler"}),
                ("arm64/freertos-rust", "none,traffic", 0, {"_freertos_vector_table"}),
                ("zynq-a9/freertos", "none,traffic", 1, {"vectors", "board_interrupt_vector"}),
                ("zynq-a9/bare", "none,traffic", 1, {"vectors", "board_interrupt_vector"}),
                ("mcf5208evb/bare", "none", 1, {"timer_entry"}),
                ("mcf5208evb/freertos", "none", 1, {"timer_entry"}),
                ("arm64-gicv3/bare", "none,traffic", 0, {"board_vectors"}),
                ("arm64-gicv3/freertos", "none,traffic", 0, {"_freertos_vector_table"}),
                ("arm64-gicv3/rt", "none,traffic", 0, {"board_vectors"}),
                ("riscv32/bare", "none,traffic", 0, {"board_vectors"}),
                ("riscv32/freertos", "none,traffic", 0, {"board_vectors"}),
                ("riscv32/rt", "none,traffic", 0, {"board_vectors"}),
                ("riscv32/freertos-rust", "none,traffic", 0, {"board_vectors"}),
            ]
        ),
    ],
)
def test_the_largest_sample_of_a_firmware_kernel(
    rtstone: Command, target: str, loads: str, slack: int, vectors: set[str]
) -> None:
    kept = rtstone(*RUN, "-t", f"board:{target}", "--load", loads, "--count", "300")
    assert kept.code == 0, kept.err
    made = _explained(rtstone("explain", "last", "--json"))
    load = loads.rpartition(",")[2]
    largest = _samples(kept, load)
    assert (made["load"], made["slack"]) == (load, slack)
    assert made["samples"] == 300
    assert made["sample"]["ticks"] == largest["max"] < 10 * made["usual"]
    assert made["sample"]["index"] == largest["extremes"][0]["index"]
    assert sum(cause["samples"] for cause in made["causes"]) == made["slow"]
    # Idle, all delays of these kernels are alike: the events before the samples identify their place.
    idle = _explained(rtstone("explain", "last", "--load", "none", "--json"))
    assert idle["sample"]["ticks"] == _samples(kept, "none")["max"]
    page = rtstone("explain", "last")
    assert page.code == 0
    assert "A repetition under the emulator's plugin gave the same" in page.out
    for vector in vectors:
        assert vector in page.out


HOG = """
#include "FreeRTOS.h"
#include "board.h"
#include "task.h"

void hog_begin(void);
void hog_of_no_name(void *unused);

void hog_of_no_name(void *unused)
{
    (void)unused;
    for (;;) {
        const uint64_t until = board_clock_read() + board_clock_hz() / 5000u;
        while (board_clock_read() < until) {
        }
        vTaskDelay(1);
    }
}

void hog_begin(void)
{
    static StaticTask_t task;
    static StackType_t stack[512];
    (void)xTaskCreateStatic(hog_of_no_name, "hog", 512, NULL, configMAX_PRIORITIES - 1, stack, &task);
}
"""
"""A task of the highest priority that has the CPU for 200 µs of each tick."""


@pytest.mark.parametrize("board", ["mps2-an385", pytest.param("arm64", marks=pytest.mark.long)])
def test_a_task_of_the_highest_priority_and_a_drawn_name_is_blamed(
    rtstone: Command, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, board: str
) -> None:
    place = tmp_path / f"hog-{board}"
    shutil.copytree(root / "boards" / board, place)
    (place / "board.toml").write_text(
        (place / "board.toml").read_text().replace(f'id = "{board}"', f'id = "{place.name}"')
    )
    source = (place / "board.c").read_text()
    (place / "board.c").write_text(
        source.replace(
            "void board_init(void)\n{", "void hog_begin(void);\n\nvoid board_init(void)\n{\n    hog_begin();"
        )
    )
    (place / "freertos" / "hog.c").write_text(HOG)
    monkeypatch.setenv("RTSTONE_BOARDS", str(tmp_path))
    drawn, named = f"hog_{uuid4().hex[:9]}", tmp_path / "named.elf"
    objcopy = {"mps2-an385": "arm-none-eabi-objcopy", "arm64": "aarch64-linux-gnu-objcopy"}[board]
    image = firmware.build(place.name, "freertos")
    subprocess.run(
        [objcopy, "--redefine-sym", f"hog_of_no_name={drawn}", str(image), str(named)], check=True, timeout=60
    )
    words = ("--load", "none", "--count", "2000", "--period", "263us", "--raw")
    kept = rtstone(*RUN, "-t", f"board:{place.name}/firmware:{named}", *words)
    assert kept.code == 0, kept.err
    made = _explained(rtstone("explain", "last", "--json"))
    causes = {cause["function"]: cause["samples"] for cause in made["causes"]}
    assert made["slow"] >= 20
    assert causes[drawn] >= 0.95 * made["slow"]
    # Without names it is refused.
    subprocess.run([objcopy, "--strip-all", str(named)], check=True, timeout=60)
    assert rtstone("explain", "last").err.splitlines()[-1].endswith("it cannot be traced")


def test_every_sample_of_a_run_with_raw_samples(rtstone: Command, tmp_path: Path) -> None:
    kept = rtstone(*RUN, "-t", "board:arm64/freertos", "--load", "traffic", "--count", "300", "--raw")
    assert kept.code == 0, kept.err
    made = _explained(rtstone("explain", "last", "--sample", "p50", "--json"))
    assert made["known"] == 300
    assert made["sample"]["blame"]["function"] == ""
    trace = tmp_path / "trace.json"
    assert rtstone("explain", "last", "--sample", "7", "--format", "perfetto", "-o", str(trace)).code == 0
    drawn = slices(trace.read_text())
    told = _explained(rtstone("explain", "last", "--sample", "7", "--whole", "--json"))["sample"]
    calls = [one for one in drawn if one.track == "functions"]
    assert [one.name for one in calls] == [call["function"] for call in told["calls"]]
    assert [one.name for one in drawn if one.track == "stages"] == [stage["name"] for stage in told["stages"]]
    assert {one.name for one in drawn} >= {"held off", "handler", "work_single", "isr"}
    assert max(one.end for one in drawn) == told["ticks"] * 16


def test_linux_tells_its_functions(rtstone: Command) -> None:
    kept = rtstone(*RUN, "-t", "board:arm64/linux-6.1-rt", "--load", "none", "--count", "100")
    assert kept.code == 0, kept.err
    made = _explained(rtstone("explain", "last", "--whole", "--json"))
    assert made["sample"]["ticks"] == _samples(kept, "none")["max"]
    called = {call["function"] for call in made["sample"]["calls"]}
    assert {"handle[rtstone_probe]", "try_to_wake_up", "__schedule"} <= called


def test_samples_of_arm64_with_page_faults_agree_to_the_tick(rtstone: Command) -> None:
    kept = rtstone(*RUN, "-t", "board:arm64/linux-6.1", "--load", "fork", "--count", "600", "--raw")
    assert kept.code == 0, kept.err
    made = _explained(rtstone("explain", "last", "--json"))
    assert (made["samples"], made["sample"]["ticks"]) == (600, _samples(kept, "fork")["max"])


@pytest.mark.long
@pytest.mark.parametrize("kernel", ["linux-6.1-rt", "linux-6.12-rt", "linux-6.12-none", "linux-6.12-full"])
def test_linux_on_a_pc(rtstone: Command, kernel: str) -> None:
    """The load `fork` has page faults in its samples: an access that faulted counts once."""
    words = ("--load", "network,fork", "--count", "300")
    kept = rtstone(*RUN[:-2], "7", "--json", "-t", f"board:pc/{kernel}", *words)
    assert kept.code == 0, kept.err
    for load in ("network", "fork"):
        made = _explained(rtstone("explain", "last", "--load", load, "--whole", "--json"))
        assert (made["samples"], made["sample"]["ticks"]) == (300, _samples(kept, load)["max"])
        called = {call["function"] for call in made["sample"]["calls"]}
        assert {"asm_sysvec_apic_timer_interrupt", "handle[rtstone_probe]", "try_to_wake_up", "__schedule"} <= called
        assert {one["what"] for one in made["sample"]["off"]} == {"interrupts", "preemption"}


@pytest.mark.parametrize(
    ("what", "kernel"),
    [
        ("interrupts", "linux-6.1-rt"),
        pytest.param("preemption", "linux-6.1-rt", marks=pytest.mark.long),
        *(
            pytest.param("interrupts", f"linux-{kernel}", marks=pytest.mark.long)
            for kernel in ("6.1-none", "6.1-voluntary", "6.1-full", "6.12-none", "6.12-full")
        ),
        *(pytest.param(what, "linux-6.12-rt", marks=pytest.mark.long) for what in ("interrupts", "preemption")),
    ],
)
def test_a_planted_section_on_a_pc_is_found_to_the_instruction_and_named(
    rtstone: Command, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, kernel: str
) -> None:
    """It holds up the worst sample, by a length drawn here. An interrupt that comes while preemption is off is not of the section."""
    loops = random.SystemRandom().randrange(12_000, 20_000)
    text = (root / "boards" / "pc" / "board.toml").read_text().replace('id = "pc"', 'id = "planted"')
    word = f"rtstone_hold:loops={loops}" + (",preemption=1" if what == "preemption" else "")
    (tmp_path / "planted").mkdir()
    (tmp_path / "planted" / "board.toml").write_text(text.replace('"e1000"]', f'"e1000", "{word}"]'))
    monkeypatch.setenv("RTSTONE_BOARDS", str(tmp_path))
    words = ("--load", "none", "--count", "400", "--period", "263us")
    kept = rtstone(*RUN, "-t", f"board:planted/{kernel}", *words)
    assert kept.code == 0, f"{word}: {kept.err}"
    made = _explained(rtstone("explain", "last", "--whole", "--json"))
    off = made["sample"]["off"]
    function = "hold_section" if what == "interrupts" else "hold_preemption"
    (held,) = [one for one in off if one["begins"]["function"] == f"{function}[rtstone_hold]"]
    assert held["what"] == what
    assert held["ends"] == held["begins"]
    inside = [one for one in off if one["what"] != what and held["at"] <= one["at"] < held["at"] + held["total"]]
    own = held["total"] - sum(one["total"] for one in inside)
    # An instruction is 8 ticks; by a scale of Linux's own the ends of each part may be rounded.
    assert abs(own - 8 * (2 * loops + 1)) <= made["slack"] * 2 * (len(inside) + 1)
    assert held["ticks"] == min(held["at"] + held["total"], made["sample"]["ticks"]) - max(0, held["at"])
    page = rtstone("explain", "last")
    assert any(line.endswith(f"  {what}, {function}[rtstone_hold]") for line in page.out.splitlines())


def test_a_run_that_was_another_one_is_refused(rtstone: Command) -> None:
    kept = rtstone(*RUN, "-t", "board:arm64/freertos", "--load", "none", "--count", "50")
    assert kept.code == 0, kept.err
    archive = open_archive()
    run = archive.load("last")
    (log,) = archive.raw_logs(run.id)
    lines = log.splitlines()
    archive.delete(run.id)
    archive.save(run, [b"\n".join(lines[:-1]) + b"\n"])
    ended = rtstone("explain", run.id)
    assert ended.code == 4
    assert "is not the same when it is run again" in ended.err.splitlines()[-1]
    archive.delete(run.id)
    archive.save(run)
    ended = rtstone("explain", run.id)
    assert ended.code == 2
    assert "without its record streams" in ended.err.splitlines()[-1]


def test_bad_words_are_told_in_one_line(rtstone: Command) -> None:
    kept = rtstone(*RUN, "-t", "board:arm64/freertos", "--load", "none", "--count", "50")
    assert kept.code == 0, kept.err
    for words, why in (
        (("--sample", "best"), "neither worst, nor a number, nor a percentile"),
        (("--sample", "50"), "there are samples 0 to 49"),
        (("--quantity", "semaphore-ping"), "has no samples of semaphore-ping"),
        (("--load", "disk"), "it has the loads none"),
        (("--repetition", "3"), "1 repetition, from 0"),
        (("--repetition", "-1"), "is not a number from 0"),
    ):
        ended = rtstone("explain", "last", *words)
        assert (ended.code, ended.out) == (2, ""), words
        assert why in ended.err.splitlines()[-1]


def test_a_live_run_is_refused(rtstone: Command) -> None:
    assert rtstone("run", "-t", "simulated:", "-m", "semaphore-ping", "--json").code == 0
    ended = rtstone("explain", "last")
    assert ended.code == 2
    assert "only a run of a virtual board that counts instructions can be run again" in ended.err.splitlines()[-1]
