# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of transfers, over a bus window or a network:
where the two ends were, how fast data passed, and the path between the ends."""

from __future__ import annotations

from collections.abc import Sequence

from rtstone.model import Result, Run
from rtstone.studies._checking import NOTHING, Answer, check, concerned, measured, several, together
from rtstone.studies._model import Condition, Study
from rtstone.studies._traits import reaches_window


def figures(result: Result) -> dict[str, int]:
    """The figures of a result by name."""
    return {figure.name: figure.value for figure in result.figures}


def _transfers(run: Run, study: Study, condition: Condition) -> list[Result]:
    return [r for r in measured(run, study, condition) if "bytes_received" in figures(r)]


@check("ends-share-cpu")
def ends_share_cpu(run: Run, study: Study, condition: Condition) -> Answer:
    """Both ends of each transfer were pinned to the same CPU."""
    results = _transfers(run, study, condition)
    if not results:
        return NOTHING
    pairs = [(figures(r).get("sender_cpu"), figures(r).get("receiver_cpu")) for r in results]
    evidence = several([f"sender on CPU {s}, receiver on CPU {r}" for s, r in pairs])
    shared = [s is not None and s == r for s, r in pairs]
    if all(shared):
        return "met", "two ordinary processes pinned to one CPU; a separate column has a CPU for each", evidence
    return (
        ("substituted", "only some transfers had both ends on one CPU", evidence)
        if any(shared)
        else ("not met", "the two ends did not share a CPU", evidence)
    )


@check("across-a-link")
def across_a_link(run: Run, study: Study, condition: Condition) -> Answer:
    """The two ends were on different hosts, or at least in different network name spaces."""
    wanted = [n for number in condition.tables for n in _names(study, number)]
    results = [r for r in _transfers(run, study, condition) if r.measurement in wanted]
    if not results:
        skipped = [r.text or r.reason for r in concerned(run, study, condition) if r.measurement in wanted]
        return ("not met", "no transfer across a link was measured", several(skipped, 1)) if skipped else NOTHING
    evidence = several([r.measurement for r in results], 6)
    peer = run.host.get("board.peer", "")
    if peer:
        near = run.host.get("board.kernel", "").partition("+")[0]
        systems = f"two kernels, {near} and {peer}," if near != peer else f"one kernel, {near}, at both ends:"
        ours = f"{systems} on two identical virtual boards, emulated, not deterministic; the Ethernet cards are emulated too"
        return "substituted", ours, evidence
    peers = {figures(r).get("peer_elsewhere") for r in results if r.measurement.endswith("-peer")}
    if peers == {1}:
        return "met", "to and from another host; also between two name spaces of this kernel", evidence
    if peers:
        where = (
            "on this machine"
            if 0 in peers
            else "on a machine that may be this one: the record does not show whether it is"
        )
        return "substituted", f"to and from a peer {where}", evidence
    return "substituted", "one kernel at both ends: two network name spaces joined by a veth pair, no device", evidence


def _names(study: Study, number: str) -> set[str]:
    table = study.table(number)
    return {v.measurement or row.measurement for v in table.variants for row in table.rows}


@check("block-and-window")
def block_and_window(run: Run, study: Study, condition: Condition) -> Answer:
    """Blocks and buffers of the paper's sizes were requested; the evidence shows the sizes that the kernel granted."""
    results = _transfers(run, study, condition)
    if not results:
        return NOTHING
    settings = [figures(r) for r in results]
    blocks = {f.get("block_bytes", 0) for f in settings}
    granted = sorted(
        {f.get("receive_buffer_bytes", 0) for f in settings if f.get("window_bytes") == condition.window_bytes}
    )
    evidence = (
        f"blocks of {', '.join(map(str, sorted(blocks)))} bytes; requested {condition.window_bytes} bytes of buffer,"
        f" the kernel reports {', '.join(map(str, granted)) or 'nothing'}"
    )
    if blocks != {condition.block_bytes} or not granted:
        return "not met", "the sizes differ from the paper's", evidence
    if granted[0] < condition.window_bytes:
        return "substituted", "the kernel grants less than the paper's window", evidence
    return (
        "met",
        "the same sizes (Linux reserves twice the requested size, for its own data too); 8 kB is measured as well",
        evidence,
    )


@check("window-sizes")
def window_sizes(run: Run, study: Study, condition: Condition) -> Answer:
    """Both of the paper's windows were measured across a link; on one node is a substitute.
    The gain is shown, not judged."""
    speeds: dict[str, float] = {}
    for r in _transfers(run, study, condition):
        of = figures(r)
        if r.status == "ok" and of.get("elapsed_ns"):
            speeds[r.measurement] = of["bytes_received"] / of["elapsed_ns"] * 1e3
    gains = {
        name: 100 * (speeds[name] / speeds[f"{name}-8k"] - 1)
        for name in ("tcp-local", "tcp-link")
        if name in speeds and speeds.get(f"{name}-8k")
    }
    if not gains:
        return NOTHING
    evidence = ", ".join(f"{name} {speeds[name]:.3g} MB/s, with 8 kB {speeds[f'{name}-8k']:.3g} MB/s" for name in gains)
    ours = "the larger window changes the rate by " + ", ".join(f"{g:+.0f} % ({n})" for n, g in gains.items())
    if "tcp-link" in gains and "board.peer" in run.host:
        return "met", ours, evidence
    return "substituted", f"{ours}, without a wire between the ends", evidence


@together("one-machine-two-kernels")
def one_machine_two_kernels(runs: Sequence[Run], study: Study, condition: Condition) -> Answer:
    """The compared runs are of one machine, by its identity, under different kernels."""
    there = [run for run in runs if measured(run, study, condition)]
    if not measured(runs[0], study, condition):
        return NOTHING
    kernels = list(dict.fromkeys(_kernel(run) for run in there))
    machines = {run.machine for run in there}
    evidence = f"{several(kernels)}; machine {several([run.machine[:8] or 'not known' for run in there])}"
    if len(kernels) < 2:
        return "not met", "one kernel: boot another one on this machine, then run `rtstone show --tables A B`", evidence
    if "" in machines or len(machines) > 1:
        return "not met", "two kernels, but the record does not show that it was one machine", evidence
    if not all(run.target.partition(":")[0] in {"local", "ssh"} for run in there):
        return "substituted", "two kernels on one virtual board", evidence
    return "met", "one machine, by its identity, under two kernels", evidence


def _kernel(run: Run) -> str:
    """Release and build: two builds of one release are two kernels."""
    env = run.sessions[0].env if run.sessions else {}
    return " ".join(filter(None, (run.kernel(), env.get("kernel.version", ""))))


@check("bus-window")
def bus_window(run: Run, study: Study, condition: Condition) -> Answer:
    """The other end is a slave on a VMEbus, by programmed transfers; a substitute for it is named."""
    results = [r for r in measured(run, study, condition) if reaches_window(r)]
    if not results:
        return NOTHING
    windows = sorted({r.variant.window for r in results})
    slaves = sorted({note.text for r in results for note in r.notes if note.kind == "environment"})
    widths = {int(r.measurement.rpartition("-d")[2]) for r in results if r.measurement.rpartition("-d")[2].isdigit()}
    evidence = f"window {several(windows)}: {several(slaves)}"
    device = [window for window in windows if window.startswith(("vme:", "pci:", "uio:"))]
    if not device:
        return "not met", "shared memory, not a bus: name a window on a bus by --window", evidence
    lacks = [f"no {space}" for space in condition.windows if not any(_in(window, space) for window in windows)]
    lacks += [f"no D{width}" for width in condition.widths if width not in widths]
    ways = {_way(window) for window in device}
    if ways != {condition.way}:
        lacks.append(WAYS[condition.way])
    if any(FAKE in slave for slave in slaves):
        lacks.append("the kernel only simulates the bridge")
    if lacks:
        return "substituted", f"a device on a bus, but {', '.join(lacks)}", evidence
    return "met", "the paper's address spaces, widths and way of access", evidence


def _in(window: str, space: str) -> bool:
    """Whether a window is in that address space, as `vme:a24`.
    In the window's name the bridge's number stands in between."""
    bus, _, rest = window.partition(":")
    wanted_bus, _, wanted = space.partition(":")
    return bus == wanted_bus and (not wanted or wanted in rest.split("/"))


def _way(window: str) -> str:
    """How a window is reached:
    from the kernel if its last part is `kernel`, and on a VMEbus unless its last part is `map`."""
    in_kernel = window.endswith("/kernel") or (window.startswith("vme:") and not window.endswith("/map"))
    return "kernel" if in_kernel else "mapped"


WAYS = {"mapped": "not mapped into a user task", "kernel": "not from kernel space"}
FAKE = "fake"
"""Part of the name of a bridge that the kernel only simulates (vme_fake)."""
