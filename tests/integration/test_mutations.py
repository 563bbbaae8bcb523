# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A measurement that is broken on purpose is caught: each edit below takes something away, and a C test must then fail."""

from __future__ import annotations

import math
import os
import re
import resource
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

COMPILER = os.environ.get("CC", "cc")
FLAGS = ("-std=c11", "-O0", "-w", "-pipe")
ENDLESS_CPU_S = 20
"""CPU time limit of a test that may never end. Once a test has passed, its own time gives a lower limit."""
TESTS = ("costs", "calls", "faults", "interrupt", "stages", "variants")


@dataclass(frozen=True)
class Mutation:
    """One textual edit of one file, and the C test that must notice it."""

    what: str
    path: str
    old: str
    new: str
    noticed_by: str


M = "engine/measurements"
MUTATIONS = (
    Mutation(
        "the created task is not more urgent: no switch",
        f"{M}/task_create_delete.c",
        '"child", RTS_PRIORITY_HIGH',
        '"child", RTS_PRIORITY_LOW',
        "costs",
    ),
    Mutation(
        "the creation is not checked for its switch",
        f"{M}/task_create_delete.c",
        'rts_run_check(run, "children-in-time", own->in_time, count, count);',
        "",
        "faults",
    ),
    Mutation(
        "the suspended task is not resumed",
        f"{M}/suspend_ping.c",
        "return rts_port_thread_resume(&ping->b);",
        "(void)ping; return RTS_OK;",
        "costs",
    ),
    Mutation(
        "the task is not suspended",
        f"{M}/suspend.c",
        "const rts_status status = rts_port_thread_suspend(&own->victim);\n",
        "const rts_status status = RTS_OK;\n",
        "costs",
    ),
    Mutation(
        "it is not proved that suspend and resume do something",
        f"{M}/suspend.c",
        "return status != RTS_OK ? status : prove(run);",
        "return status;",
        "faults",
    ),
    Mutation(
        "party A does not wait for B",
        f"{M}/common/pair.c",
        "return given != RTS_OK ? given : rts_port_semaphore_take(&((rts_pair *)ping)->for_a);",
        "return given;",
        "costs",
    ),
    Mutation(
        "the semaphore is not taken",
        f"{M}/semaphore_get_release.c",
        "const rts_status status = rts_port_semaphore_take(&own->semaphore);",
        "const rts_status status = RTS_OK;",
        "costs",
    ),
    Mutation(
        "the semaphore is neither taken nor given",
        f"{M}/semaphore_get_release.c",
        "    const rts_status status = rts_port_semaphore_take(&own->semaphore);",
        "    if (own != NULL) {\n        return RTS_OK;\n    }\n    const rts_status status = RTS_OK;",
        "calls",
    ),
    Mutation(
        "the queue is not filled",
        f"{M}/queue_fill.c",
        "const numbered message = {i, ~(uint64_t)i};",
        "const numbered message = {i, ~(uint64_t)i}; if (i > 3) return RTS_OK;",
        "costs",
    ),
    Mutation(
        "what comes out of the queue is not looked at",
        f"{M}/queue_fill.c",
        "filling->ordered += got->number == (filling->urgent ? count - 1u - i : i) ? 1u : 0u;",
        "filling->ordered++;",
        "faults",
    ),
    Mutation(
        "urgent messages go to the tail",
        f"{M}/queue_fill.c",
        "rts_port_queue_send_urgent(&filling->queue, &message)",
        "rts_port_queue_send(&filling->queue, &message)",
        "costs",
    ),
    Mutation(
        "the message is not received",
        f"{M}/queue_fill_drain.c",
        "status = rts_port_queue_receive(&own->queue, got);",
        "got[0] = sent[0]; got[1] = sent[1];",
        "costs",
    ),
    Mutation(
        "the other task's answer is not awaited",
        f"{M}/queue_alternate.c",
        "return sent != RTS_OK ? sent : receive(&own->to_a, own->sent_a);",
        "return sent;",
        "costs",
    ),
    Mutation(
        "blocks are not taken",
        f"{M}/blocks.c",
        "return rts_port_block_alloc(&partition->blocks, &partition->block[i]);",
        "static char spare[16][64]; partition->block[i] = spare[i]; return RTS_OK;",
        "costs",
    ),
    Mutation(
        "blocks are not given back",
        f"{M}/blocks.c",
        "return rts_port_block_free(&partition->blocks, partition->block[i]);",
        "(void)i; return RTS_OK;",
        "costs",
    ),
    Mutation(
        "the delay is taken from the handler's entry instead of its release",
        f"{M}/interrupt_response.c",
        "(rts_latency)(resumed - released)",
        "(rts_latency)(resumed - entered)",
        "interrupt",
    ),
    Mutation(
        "missed periods are passed over",
        f"{M}/interrupt_response.c",
        "    uint32_t in = 0;",
        "    uint32_t in = 0;\n    if (entered - asserted >> 63 == 0 && entered - asserted > 1000000) {\n"
        "        return;\n    }",
        "interrupt",
    ),
    Mutation(
        "early interrupts are counted as punctual",
        f"{M}/interrupt_response.c",
        "now->entered = entered;",
        "now->entered = (rts_latency)(entered - asserted) < 0 ? asserted : entered;",
        "interrupt",
    ),
    Mutation(
        "a task that waits in vain is not woken",
        f"{M}/common/periods.h",
        "            rts_periods_release(to_task);\n",
        "",
        "stages",
    ),
    Mutation(
        "an interrupt without room overwrites one that was not taken yet",
        f"{M}/common/periods.h",
        "memory_order_acquire) == room) {",
        "memory_order_acquire) > RTS_PORT_STATE_BYTES + room) {",
        "interrupt",
    ),
    Mutation(
        "the bottom half is no more urgent than the task",
        f"{M}/interrupt_stages.c",
        '"bottom", RTS_PRIORITY_TOP',
        '"bottom", RTS_PRIORITY_LOW',
        "stages",
    ),
    Mutation(
        "the total is stamped on its way",
        f"{M}/common/chain.c",
        "const bool stamped = !own->spec.timer.unstamped;",
        "const bool stamped = true;",
        "stages",
    ),
    Mutation(
        "the tasks do not yield",
        f"{M}/task_switch.c",
        "(void)ping;\n    return rts_port_yield();",
        "(void)ping;\n    return RTS_OK;",
        "costs",
    ),
    Mutation(
        "the awakened task is not more urgent",
        f"{M}/task_preemption.c",
        ".b = RTS_PRIORITY_HIGH",
        ".b = RTS_PRIORITY_LOW",
        "costs",
    ),
    Mutation(
        "the task asks for nothing",
        f"{M}/common/contest.c",
        "const rts_status status = way->acquire(contest);\n    const rts_ticks got",
        "const rts_status status = RTS_OK;\n    const rts_ticks got",
        "costs",
    ),
    Mutation(
        "the mutex does not inherit",
        f"{M}/deadlock_break.c",
        "RTS_PROTOCOL_INHERIT",
        "RTS_PROTOCOL_NONE",
        "costs",
    ),
    Mutation(
        "it is not checked that the mutex inherits",
        f"{M}/common/contest.c",
        'rts_run_check(contest->run, "inversions", contest->inversions, 0, 0);',
        "",
        "faults",
    ),
    Mutation(
        "the message's receiver is not more urgent",
        f"{M}/message_latency.c",
        ".b = RTS_PRIORITY_HIGH",
        ".b = RTS_PRIORITY_LOW",
        "costs",
    ),
    Mutation(
        "the other party is no process",
        f"{M}/switch.c",
        ".b_space = RTS_SPACE_OWN",
        ".b_space = RTS_SPACE_SHARED",
        "costs",
    ),
    Mutation(
        "A believes that B had its turn",
        f"{M}/common/ping.c",
        "if (ping->b_turns == ping->a_seen + 1u) {",
        "if (true) {",
        "faults",
    ),
    Mutation(
        "the turns are not checked",
        f"{M}/common/ping.c",
        'rts_run_check(ping->run, "alternations",',
        'rts_run_check(ping->run, "other", turns, turns, turns); if (false) rts_run_check(ping->run, "alternations",',
        "faults",
    ),
    Mutation(
        "a party's failure is passed over",
        f"{M}/common/ping.c",
        "ping->b_status = status;",
        "",
        "faults",
    ),
    Mutation(
        "caches are not flushed",
        f"{M}/common/ping.c",
        "        rts_run_before(run);\n",
        "",
        "costs",
    ),
    Mutation(
        "caches are not flushed before an operation of one thread",
        f"{M}/common/timed.h",
        "        rts_run_before(run);\n",
        "",
        "costs",
    ),
    Mutation(
        "one operation of a set is left out",
        f"{M}/common/timed.h",
        "for (uint32_t i = 0; i < count && status == RTS_OK; i++) {",
        "for (uint32_t i = 1; i < count && status == RTS_OK; i++) {",
        "costs",
    ),
    Mutation(
        "an operation's failure is passed over",
        f"{M}/common/timed.h",
        "        if (status != RTS_OK) {\n            return status;\n        }\n",
        "",
        "faults",
    ),
    Mutation(
        "what follows an operation is timed with it",
        f"{M}/common/timed.h",
        "        const rts_ticks end = rts_clock_read();\n        if (status == RTS_OK && after != NULL) {\n"
        "            status = after(arg, i);\n        }\n",
        "        status = after != NULL ? after(arg, i) : status;\n        const rts_ticks end = rts_clock_read();\n",
        "costs",
    ),
    Mutation(
        "an odd set is timed to A instead of B",
        f"{M}/common/ping.c",
        "*total = (odd && ping->b_arrived != 0 ? ping->b_arrived : end) - begin;",
        "*total = end - begin;",
        "variants",
    ),
    Mutation(
        "half of the load's programs are not started",
        "engine/loads/cpu.c",
        "own->wanted = spec->intensity;",
        "own->wanted = spec->intensity; ((rts_load_spec *)spec)->intensity = (spec->intensity + 1) / 2;",
        "variants",
    ),
)


class Workshop:
    """A copy of the engine's sources with the simulated port, compiled file by file so that an edit costs one file."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.folder = folder
        for part in ("engine", "ports/simulated", "cmake/freestanding", "probe"):
            if (root / part).is_dir():
                shutil.copytree(root / part, folder / part, ignore=shutil.ignore_patterns("*.md"))
        patterns = ("engine/src/*.c", f"{M}/*.c", f"{M}/common/*.c", "engine/loads/*.c", "ports/simulated/*.c")
        found = [path for pattern in patterns for path in sorted(folder.glob(pattern))]
        self.sources = [path for path in found if path.name != "main.c"]
        self.limits: dict[str, int] = {}
        self.tests = {name: folder / f"engine/tests/test_measurement_{name}.c" for name in TESTS}
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(self.compile, [*self.sources, *self.tests.values()]))

    def compile(self, source: Path) -> None:
        """Compile one file of the copy to an object beside it."""
        include = (f"-I{self.folder}/engine/include", f"-I{self.folder}/ports/simulated/include")
        command = [COMPILER, *FLAGS, *include, "-c", str(source), "-o", str(source.with_suffix(".o"))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def users(self, path: Path) -> list[Path]:
        """The files to recompile after an edit of `path`: itself, or all that include the header, directly or not."""
        if path.suffix == ".c":
            return [path]
        headers, found = list(self.folder.rglob("*.h")), {path.name}
        while more := {header.name for header in headers if self.includes(header, found)} - found:
            found |= more
        return [source for source in self.sources if self.includes(source, found)]

    @staticmethod
    def includes(file: Path, names: set[str]) -> bool:
        """Whether a file includes a header of one of these names."""
        told = re.findall(r'^#include "(?:.*/)?([^"/]+)"$', file.read_text(encoding="utf-8"), re.MULTILINE)
        return bool(names & set(told))

    def passes(self, name: str) -> bool:
        """Link a test with the objects as compiled now and run it. A test that never ends does not pass."""
        program = self.folder / f"test_{name}"
        objects = [str(path.with_suffix(".o")) for path in (self.tests[name], *self.sources)]
        command = [COMPILER, *objects, "-lcmocka", "-o", str(program)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        # Its CPU time is limited, so that a busy machine makes no test endless; one that only waits ends by the clock.
        limited = ["prlimit", f"--cpu={self.limits.get(name, ENDLESS_CPU_S)}", str(program)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        try:
            passed = subprocess.run(limited, capture_output=True, check=False, timeout=60).returncode == 0
        except subprocess.TimeoutExpired:
            return False
        if passed:  # five times of that
            self.limits[name] = 2 + math.ceil(5 * (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before))
        return passed


@pytest.fixture(scope="module")
def workshop(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """The unmutated copy, of which every test passes."""
    made = Workshop(root, tmp_path_factory.mktemp("mutations"))
    for name in TESTS:
        assert made.passes(name), f"test_measurement_{name} fails without any mutation"
    return made


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.what)
def test_mutation_is_noticed(workshop: Workshop, mutation: Mutation) -> None:
    path = workshop.folder / mutation.path
    original = path.read_text(encoding="ascii")
    compiled = {source: source.with_suffix(".o").read_bytes() for source in workshop.users(path)}
    assert original.count(mutation.old) >= 1, f"{mutation.path} has changed: the edit finds nothing to replace"
    try:
        path.write_text(original.replace(mutation.old, mutation.new), encoding="ascii")
        for source in compiled:
            workshop.compile(source)
        assert not workshop.passes(mutation.noticed_by)
    finally:
        path.write_text(original, encoding="ascii")
        for source, code in compiled.items():
            source.with_suffix(".o").write_bytes(code)


def test_every_measurement_is_mutated(workshop: Workshop) -> None:
    """At least one mutation edits each measurement's own file, or the file that its family shares."""
    edited = {Path(mutation.path).stem for mutation in MUTATIONS if mutation.path.endswith(".c")}
    spared = []
    for path in sorted((workshop.folder / M).glob("*.c")):
        text = path.read_text(encoding="ascii")
        used = {line.split('"')[1] for line in text.splitlines() if line.startswith('#include "common/')}
        family = {Path(name).stem for name in used}
        if path.name != "registry.c" and path.stem not in edited and not family & edited:
            spared.append(path.name)
    assert not spared
