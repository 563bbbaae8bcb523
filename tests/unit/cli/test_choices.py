# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The requests that `rtstone run` refuses before anything is measured, and how it reads its options."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rtstone.cli import _choices as choose
from rtstone.cli import _engine_lists, _own_kernel, _values
from rtstone.cli._check import USUAL_LOADS
from rtstone.cli._engine_lists import EngineList, ListedClock, ListedLoad, ListedMeasurement
from rtstone.errors import UsageError
from rtstone.measure import ask, at_most_seconds
from rtstone.studies import Request, board_repetitions, study
from rtstone.targets import boards, open_target

LIST = EngineList(
    engine="0.1.0",
    port="posix",
    measurements=(
        ListedMeasurement("queue-fill", passes=("single", "batch"), series=("queue-fill",)),
        ListedMeasurement("interrupt-response", passes=("single",), series=("interrupt-service-response",)),
    ),
    loads=tuple(ListedLoad(name) for name in ("cpu", "traffic", "network-virtual", "page-faults")),
    timers=("nanosleep", "timerfd"),
    clocks=(ListedClock("counter"), ListedClock("tsc"), ListedClock("gettimeofday")),
)
LOCAL = ("local",)


@pytest.fixture(autouse=True)
def _engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_engine_lists, "engine_list", lambda: LIST)


def test_loads_default_to_the_targets_own_and_unknown_ones_are_told() -> None:
    assert choose.loads(None, "", LOCAL) == ()
    request = Request(studies=(study("sscl"),), profile="quick", loads=(), repetitions=0)
    live, board = (ask(open_target(name), request) for name in ("local", "board:arm64/bare"))
    assert {item.load for plan in live.plans for item in plan.items} == {"none", "cpu"}
    assert {item.load for plan in board.plans for item in plan.items} == {"none", "traffic"}
    assert (len(live.plans), live.virtual) == (1, False)
    assert (len(board.plans), board.virtual) == (board_repetitions("quick"), True)
    assert at_most_seconds([live, board, board], 2) == pytest.approx(live.seconds + board.seconds)
    assert at_most_seconds([live, board, board], 1) == pytest.approx(live.seconds + 2 * board.seconds)
    assert choose.loads(None, "cpu", LOCAL) == ("cpu",)
    assert choose.loads(["none"], "cpu", LOCAL) == ("none",)
    with pytest.raises(UsageError, match=r"unknown load 'cpuu'\. Did you mean 'cpu'\? There are: none, cpu"):
        choose.loads(["cpuu"], "", LOCAL)


def test_a_board_refuses_a_load_that_its_engine_does_not_have() -> None:
    freertos, linux = "board:mps2-an385/freertos", "board:arm64/linux-6.1"
    assert choose.loads(["none,cpu+traffic"], "", (freertos,)) == ("none", "cpu+traffic")
    with pytest.raises(UsageError, match=f"unknown load of {freertos} 'fork'. There are: none, cpu, traffic$"):
        choose.loads(["none,fork"], "", (freertos,))
    assert choose.loads(["fork"], "", (linux,)) == ("fork",)
    # The column of a kernel that lacks a load of another one reports it missing.
    assert choose.loads(["fork"], "", (freertos, linux)) == ("fork",)
    with pytest.raises(UsageError, match=r"unknown load 'forks'\. Did you mean 'fork'"):
        choose.loads(["forks"], "", (freertos, linux))
    # Nothing is known of an engine in the user's own image.
    assert choose.loads(["fork"], "", ("board:mps2-an385/firmware:/image.elf",)) == ("fork",)


def test_loads_of_a_linux_board_are_those_that_an_engine_on_linux_lists() -> None:
    # tests/integration/test_linux_loads.py compares the same names with the engine's list.
    assert boards.loads(boards.load("arm64").kernel_of("linux-6.1")) == ("none", *USUAL_LOADS)


def test_loads_together_are_one_condition() -> None:
    assert choose.loads(["none,cpu+traffic"], "", LOCAL) == ("none", "cpu+traffic")
    with pytest.raises(UsageError, match="unknown load 'cpuu'"):
        choose.loads(["traffic+cpuu"], "", LOCAL)
    for wrong in ("cpu+cpu", "none+cpu"):
        with pytest.raises(UsageError, match="different loads, each named once"):
            choose.loads([wrong], "", LOCAL)
    with pytest.raises(UsageError, match="at most 31 characters"):
        choose.loads(["cpu+traffic+network-virtual+page-faults"], "", LOCAL)


def test_each_of_the_loads_may_have_its_own_intensity() -> None:
    assert choose.loads(["none,cpu:2,cpu:0+traffic"], "", LOCAL) == ("none", "cpu:2", "cpu:0+traffic")
    for wrong in ("cpu:", "cpu:x", "cpu:-1", "cpu:1.5", "cpu:2:3", "cpu:4294967296", "none:1", "cpu:\u0663"):
        with pytest.raises(UsageError, match="behind a load's colon stands how much of it"):
            choose.loads([wrong], "", LOCAL)
    with pytest.raises(UsageError, match="unknown load 'cpuu'"):
        choose.loads(["cpuu:2"], "", LOCAL)
    with pytest.raises(UsageError, match="different loads, each named once"):
        choose.loads(["cpu:2+cpu:3"], "", LOCAL)
    assert choose.load_command("make", ("command:2",), LOCAL) == ("command:2",)


def test_a_command_is_a_load() -> None:
    assert choose.load_command(None, ("none", "cpu"), LOCAL) == ("none", "cpu")
    assert choose.load_command("make", (), LOCAL) == ("none", "command")
    assert choose.load_command("make", ("cpu",), LOCAL) == ("cpu", "command")
    assert choose.load_command("make", ("cpu+command",), LOCAL) == ("cpu+command",)
    with pytest.raises(UsageError, match="--load-command"):
        choose.load_command(None, ("cpu+command",), LOCAL)
    for empty in ("", " ", "a\nb"):
        with pytest.raises(UsageError, match="one line"):
            choose.load_command(empty, (), LOCAL)
    with pytest.raises(UsageError, match="local and ssh"):
        choose.load_command("make", (), ("board:arm64/bare",))


def _of_ioc(request: Request) -> Request:
    return msgspec.structs.replace(request, loads=("ioc",))


def test_intensity_and_required_loads_reach_the_plan() -> None:
    assert (_values.intensity(None), _values.intensity(1), _values.intensity(7)) == (0, 1, 7)
    with pytest.raises(UsageError, match="--intensity"):
        _values.intensity(0)
    request = Request(
        studies=(study("sscl"),), profile="quick", loads=("none", "cpu"), intensity=7, loads_required=True
    )
    live, board = (ask(open_target(name), request).plans[0] for name in ("local", "board:arm64/bare"))
    assert {(item.load, item.intensity) for item in live.items} == {("none", 1), ("cpu", 7)}
    assert live.loads_required
    plain = msgspec.structs.replace(request, intensity=0)
    own = {item.load: item.intensity for item in ask(open_target("board:arm64/bare"), _of_ioc(plain)).plans[0].items}
    one = msgspec.structs.replace(request, intensity=1)
    asked = {item.load: item.intensity for item in ask(open_target("board:arm64/bare"), _of_ioc(one)).plans[0].items}
    assert own["ioc"] > 1  # the profile's
    assert asked["ioc"] == 1  # the user's, who said so
    assert not board.loads_required  # a kernel without the load reports this in its column


def test_measurements_bring_their_passes() -> None:
    found = choose.measurements(["queue-fill,interrupt-response"], LOCAL)
    assert [(m.name, m.passes, m.paced) for m in found] == [
        ("queue-fill", ("single", "batch"), False),
        ("interrupt-response", ("single",), True),
    ]
    assert choose.measurements(None, LOCAL) == ()
    with pytest.raises(UsageError, match="Did you mean 'queue-fill'"):
        choose.measurements(["queue-full"], LOCAL)


def test_a_cpu_must_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 2})
    assert choose.cpu(2, LOCAL) == 2
    assert choose.cpu(-1, LOCAL) == -1
    with pytest.raises(UsageError, match="there is no CPU 1 to measure on; there are: 0, 2"):
        choose.cpu(1, LOCAL)
    assert choose.cpu(7, ("board:arm64/bare",)) == 7


def test_a_window_is_looked_for_before_anything_is_measured() -> None:
    board = ("board:pc/linux-6.1-rt",)
    pci, vme = "pci:0000:00:04.0/2", "vme:0/a24/100000"
    for name in ("default", "shm", pci, f"{pci}/kernel", "uio:0/1", vme, f"{vme}/map"):
        assert choose.window(name, board) == name  # what a board has only the board knows
    assert choose.window("shm", LOCAL) == "shm"
    with pytest.raises(UsageError, match=r"there is no /sys/bus/pci/devices/ffff:ff:1f\.7/resource2"):
        choose.window("pci:ffff:ff:1f.7/2", LOCAL)
    for wrong in ("pci:00:04.0/2", "pci:0000:00:04.0/6", "vme:0/a64/0", "vme:0/a24/x", f"{pci}/map", "/dev/mem", ""):
        with pytest.raises(UsageError, match="a window is shm, pci:"):
            choose.window(wrong, board)


def test_timers_and_words_of_closed_lists() -> None:
    assert choose.timer("timerfd", LOCAL) == "timerfd"
    with pytest.raises(UsageError, match="Did you mean 'timerfd'"):
        choose.timer("timefd", LOCAL)
    assert choose.sched(None) is None
    assert choose.sched("fifo") == choose.sched("rt") == "rt"
    with pytest.raises(UsageError, match=r"unknown sched 'xx'\. There are: fifo, other, rt, ts"):
        choose.sched("xx")


def test_a_clock_is_chosen_by_name_and_only_where_there_are_several(monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose.clock(None, ("board:arm64/bare",)) == ""
    assert choose.clock("gettimeofday", LOCAL) == "gettimeofday"
    with pytest.raises(UsageError, match=r"unknown clock 'sundial'\. There are: counter, tsc"):
        choose.clock("sundial", LOCAL)
    with pytest.raises(UsageError, match="the clocks of a live machine: the targets local and ssh"):
        choose.clock("tsc", ("local", "board:arm64/bare"))
    older = msgspec.structs.replace(LIST, clocks=None)  # refuses an unknown clock itself
    monkeypatch.setattr(_engine_lists, "engine_list", lambda: older)
    assert choose.clock("sundial", LOCAL) == "sundial"
    with pytest.raises(UsageError, match=r"--clock xx.*…: a name has at most 31 characters"):
        choose.clock("x" * 90_000, LOCAL)


@pytest.mark.parametrize(
    "targets", [("board:arm64/bare",), ("board:arm64/bare", "local"), ("local", "board:arm64/bare")]
)
def test_a_board_takes_no_pass_from_a_measurement(targets: tuple[str, ...]) -> None:
    passes = {one.name: set(one.passes) for one in choose.measurements(["semaphore-ping,queue-fill"], targets)}
    assert passes == {"semaphore-ping": {"single", "batch"}, "queue-fill": {"single", "batch"}}


def test_a_board_refuses_loads_none_of_which_its_kernel_can_run() -> None:
    bare, freertos = "board:arm64/bare", "board:arm64/freertos"
    for given in ("cpu", "cpu:2", "cpu+traffic", "cpu,cpu:2"):
        with pytest.raises(
            UsageError, match=f"^the kernel of {bare} cannot run the load cpu. It can run: none, traffic$"
        ):
            choose.loads([given], "", (bare,))
    # Under the others it is measured, and the run reports the load that it lacks.
    assert choose.loads(["none,cpu"], "", (bare,)) == ("none", "cpu")
    assert choose.loads(["cpu"], "", (bare, freertos)) == ("cpu",)
    assert choose.loads(["cpu"], "", (freertos,)) == ("cpu",)
    with pytest.raises(UsageError, match=f"^the kernel of {bare}, board:riscv32/bare cannot run the load cpu"):
        choose.loads(["cpu"], "", (bare, "board:riscv32/bare"))


def test_a_tree_without_symvers_is_reported_as_measured_from_user_space(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`make bzImage` alone leaves such a tree."""
    names = ("Makefile", "Module.symvers", "include/config/auto.conf", "include/generated/autoconf.h")
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    _own_kernel.kernel(tmp_path, None, None, ("board:pc",))
    assert "the probe module is built in" in capsys.readouterr().err
    for name in names[1:]:
        (tmp_path / name).unlink()
        _own_kernel.kernel(tmp_path, None, None, ("board:pc",))
        (line,) = capsys.readouterr().err.splitlines()
        assert line == f"rtstone: {tmp_path} has no {name}: without the probe module, rtstone measures from user space"
        (tmp_path / name).touch()
