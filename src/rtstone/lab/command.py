# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone measure-all`: puts all measurements of a file into the archive's queue, and shows how workers carry them out."""

from __future__ import annotations

import gc
import hashlib
import multiprocessing
import os
import resource
import signal
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import msgspec
import typer

from rtstone.cli import NUMPY_THREADS
from rtstone.cli._options import Lease, MaxLost, Quiet, Where
from rtstone.errors import IncompleteError, InfrastructureError, UsageError
from rtstone.model.nodes import NODE

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext

    from rtstone.archive._queue import Queue, Standing
    from rtstone.lab.worker import Work

_Made = TypeVar("_Made")
_POLL_S = 0.5
_AWAY_S, _AWAY_EVERY_S = 600.0, 10.0
_END_S = 30.0
_PARENT_KILLED = 255
"""Exit code of a worker that runs on after the process that forked it was killed."""
_FILES = (32, 2)
"""Files that this command has open, and those for each worker."""
_LOADED = ("rtstone.cli._app", "rtstone.lab.worker_command", "rtstone.lab.worker", "rtstone.cli._request", "numpy")
"""Modules that every worker needs."""


class BatchFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Content of the file."""

    studies: tuple[str, ...] = ()
    measurements: tuple[str, ...] = ()
    loads: tuple[str, ...] = ("",)
    targets: tuple[str, ...] = ()
    places: dict[str, str] = {}
    """A name -> its target. A target in `targets` is its own name."""
    repetitions: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 1
    profile: str = "standard"
    count: Annotated[int, msgspec.Meta(ge=0)] = 0
    seed: int = 1
    label: str = ""
    cpu: Annotated[int, msgspec.Meta(ge=-1, le=65535)] | None = None
    """None: as rtstone.toml has it."""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("measure-all")(measure_all)


def measure_all(
    file: Annotated[
        Path, typer.Argument(help="The studies, loads and targets (docs/how-to/run-a-lab.md).", metavar="FILE.toml")
    ],
    workers: Annotated[
        int,
        typer.Option(
            help="Workers to start on this machine. 0: none; start workers elsewhere (`measure-all worker`).",
            min=0,
            max=512,
        ),
    ] = 1,
    again: Annotated[
        bool,
        typer.Option(
            "--again",
            help="If all measurements of the file are finished, measure everything again. Else measure the rest.",
        ),
    ] = False,
    lease: Lease = "60s",
    max_lost: MaxLost = 5,
    archive: Where = None,
    quiet: Quiet = False,
) -> None:
    """Measure every combination of studies, loads, targets and repetitions, with any number of workers.

    Each combination is one measurement in the archive's queue, and becomes one run. Here each repetition is a run; in `rtstone run` all
    repetitions are one run. After an interruption give the same command again: it measures the rest.

    Exit codes: 0 all measured; 2 usage; 3 no archive, or all workers of this command ended early; 4 some failed; 130 interrupted: give
    the same command to continue.
    """
    from rtstone.archive import open_queue
    from rtstone.cli import _values
    from rtstone.cli._output import say
    from rtstone.config import load as configuration

    settings = configuration({"archive": archive}).values
    where = settings.archive
    seconds = _values.seconds("--lease", lease)
    batch_ = _read(file)
    work = _all_of(batch_, settings.cpu if batch_.cpu is None else batch_.cpu)
    queue = open_queue(where, lease_s=seconds)  # its --max-lost is the workers'
    batch = _patiently(lambda: _put_in(queue, work, again=again))
    standing = _patiently(lambda: queue.standing(batch))
    if not standing.open:
        say(f"{batch}: {standing.done} of {standing.total} were measured before; --again measures once more")
    else:
        if not quiet:
            say(
                f"{batch}: {standing.open} of {standing.total} measurements to go; Ctrl-C interrupts, this command continues"
            )
        words = [
            "--batch",
            batch,
            "--place",
            "-",
            "--until-done",
            "--quiet",
            "--lease",
            lease,
            "--max-lost",
            str(max_lost),
        ]
        standing = _see_through(queue, batch, where, words, workers, standing, quiet=quiet)
    failed = _patiently(lambda: queue.results(batch, "failed"))
    by_reason: dict[str, list[str]] = {}
    for request, why in failed:
        by_reason.setdefault(why, []).append(request)
    for why, requests in by_reason.items():
        more = f" and {len(requests) - 1} more" if len(requests) > 1 else ""
        say(f"failed: {_request_in_words(requests[0])}{more}: {why}")
    typer.echo(f"{batch}: {standing.done} measured, {standing.failed} failed")
    if failed:
        raise IncompleteError(f"{len(failed)} of {standing.total} measurements failed")


def _read(file: Path) -> BatchFile:
    try:
        return msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), BatchFile)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise UsageError(f"{file}: {error}") from error


def _all_of(batch: BatchFile, cpu: int) -> tuple[tuple[str, Work], ...]:
    """Every measurement with its place,
    alternating between places: neighbours in the queue then do not wait for each other. Raises UsageError."""
    from rtstone.cli import _values
    from rtstone.lab.labgrid import place_of
    from rtstone.lab.worker import Work
    from rtstone.lab.worker_command import request_of
    from rtstone.studies import profile, study
    from rtstone.targets import capabilities, expand

    what = [{"study": study(name).id} for name in batch.studies] + [
        {"measurement": name} for name in batch.measurements
    ]
    places = {target: target for target in expand(batch.targets)} | batch.places
    nodes = {place for place, target in places.items() if target.startswith(NODE)}
    for place in nodes:
        _values.node(places[place], places[place].removeprefix(NODE))
    if not what or not places:
        raise UsageError("there is nothing to measure: studies (or measurements) and targets (or places) are needed")
    profile(batch.profile)
    for place, target in places.items():
        if place in nodes:
            continue
        if target.partition(":")[0] != "labgrid" and (not place or capabilities(target).shares_host):
            raise UsageError(f"'{target}' is another machine for each worker: name one, as ssh:host or local@NODE")
    left_out = _left_out(batch.loads, set(places.values()))
    work = [
        (
            target if place in nodes else place_of(target) if target.startswith("labgrid:") else place,
            Work(
                target="local" if place in nodes else target,
                load=load,
                profile=batch.profile,
                count=batch.count,
                seed=seed,
                label=batch.label,
                cpu=cpu,
                **one,
            ),
        )
        for seed in range(batch.seed, batch.seed + batch.repetitions)
        for load in batch.loads or ("",)
        for one in what
        for place, target in places.items()
        if (load, target) not in left_out
    ]
    if len(set(work)) < len(work):
        raise UsageError("a study, a measurement or a load stands there twice")
    for one in {msgspec.structs.replace(one, seed=0) for place, one in work if not place.startswith(NODE)}:
        if not capabilities(
            one.target
        ).looked_at:  # workers check these, as they check nodes: one that is away now may be back later
            request_of(one)
    return tuple(work)


def _left_out(loads: tuple[str, ...], targets: set[str]) -> set[tuple[str, str]]:
    """Each load with each board whose engine lacks it or whose kernel cannot run it, if another target of the batch may
    have it. Reports them."""
    from rtstone.cli._output import say
    from rtstone.model.loads import load_kind
    from rtstone.targets import capabilities

    named = sorted(target for target in targets if not target.startswith(NODE))
    can = {target: capabilities(target) for target in named}
    boards = {
        target: [load for load in of.loads if load not in of.loads_in_vain] for target, of in can.items() if of.loads
    }
    lacking: set[tuple[str, str]] = set()
    for load in loads:
        parts = set(load_kind(load).split("+")) - {"", "none"}
        without = [target for target, had in boards.items() if not parts <= set(had)]
        if len(without) == len(targets):
            continue  # no target has it: the request is refused
        for target in without:
            say(f"left out: the load {load} of {target}, which has {', '.join(boards[target])}")
            lacking.add((load, target))
    return lacking


def _put_in(queue: Queue, work: tuple[tuple[str, Work], ...], *, again: bool) -> str:
    """The batch of these measurements: the current one, or the last, or a new one."""
    rows = [(place, msgspec.json.encode(one).decode()) for place, one in work]
    digest = hashlib.sha256("\n".join(map("\t".join, rows)).encode()).hexdigest()[:12]
    number = 1
    while True:
        batch = f"group-{digest}-{number}"
        if queue.add(batch, rows, version=max(one.version for _, one in work)):
            return batch
        later = queue.standing(f"group-{digest}-{number + 1}").total
        if not later and (queue.standing(batch).open or not again):
            return batch
        number += 1


def _see_through(
    queue: Queue, batch: str, where: str, words: list[str], workers: int, standing: Standing, *, quiet: bool
) -> Standing:
    """Shows the progress until all measurements are over; workers of this command end with it."""
    from rtstone.cli._output import say
    from rtstone.cli._progress import Shown
    from rtstone.lab._patience import EndedError, patiently, wait
    from rtstone.measure import Interruption, Progress

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(_LOADED))
    with ExitStack() as stack:
        asked = stack.enter_context(Interruption())
        shown = stack.enter_context(Shown(quiet=quiet, targets=(batch,)))
        own: list[_OwnWorker] = []
        stack.callback(_end, own)
        if workers:
            _allow_files(workers)
        resource_tracker.ensure_running()  # its start would unblock the signals
        for _ in range(workers):
            if asked.requested:
                break
            with _signals_wait():
                own.append(_OwnWorker(context, where, words))
        look_at = time.monotonic() + queue.lease_s
        said: tuple[str, ...] = ()
        while True:
            with suppress(EndedError):
                standing = patiently(lambda: queue.standing(batch), asked, for_s=_AWAY_S)
            over = standing.done + standing.failed
            going, failed = f"{standing.leased} under way", f"{standing.failed} failed"
            shown(Progress(items_done=over, items_total=standing.total, measurement=going, load=failed, target=batch))
            if not standing.open:
                return standing
            if asked.requested:
                say(f"interrupted: {standing.open} of {standing.total} measurements to go; the same command continues")
                raise typer.Exit(130)
            if time.monotonic() >= look_at:
                look_at = time.monotonic() + queue.lease_s
                said = _name_unserved(queue, batch, said)
            living = [one.lives() for one in own]  # checks each, and restarts it if it was killed
            if own and not any(living):
                newer = _patiently(lambda: queue.newer(batch))
                why = f"; a newer rtstone put {newer} of them in, and can read them" if newer else ""
                raise InfrastructureError(
                    f"{batch}: no worker of this command lives; {standing.open} measurements to go{why}"
                )
            wait(asked, _POLL_S)


def _name_unserved(queue: Queue, batch: str, said: tuple[str, ...]) -> tuple[str, ...]:
    """Prints the nodes that no worker serves, unless these were the last ones printed; returns them."""
    from rtstone.cli._output import say
    from rtstone.errors import RtstoneError

    with suppress(RtstoneError):  # other calls handle an unreachable database
        places = queue.unserved(batch)
        if places and places != said:
            say(
                f"no worker serves {', '.join(places)}: on each node start `rtstone measure-all worker --place NODE` "
                "with this archive"
            )
        return places
    return said


class _OwnWorker:
    """A worker of this command, forked from a process that has loaded its modules: hundreds of them share that memory."""

    def __init__(self, context: ForkServerContext, where: str, words: list[str]) -> None:
        self._context = context
        self._arguments = where, words, NUMPY_THREADS in os.environ
        self._start()

    def _start(self) -> None:
        process = self._context.Process(target=_work, args=self._arguments)
        try:
            process.start()
        except EOFError as error:
            raise InfrastructureError("no worker can be started: the process that forks them has ended") from error
        except OSError as error:  # as of the socket of that process, which is a file
            folder = tempfile.gettempdir()
            raise InfrastructureError(
                f"no worker can be started: {error.strerror or error} (TMPDIR: {folder})"
            ) from error
        self.process = process

    def lives(self) -> bool:
        """Whether it is working; restarts it if it was killed."""
        code, pid = self.process.exitcode, self.process.pid
        if code == _PARENT_KILLED and pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        killed = code is not None and (code < 0 or code == _PARENT_KILLED)
        if killed:
            with _signals_wait():
                self._start()
        return code is None or killed


@contextmanager
def _signals_wait() -> Iterator[None]:
    """Signals that end this command wait until the block is over. The process that forks the workers begins in such a block,
    and blocks them for its whole life: it ends after this command and its workers."""
    from rtstone.measure import signals

    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _allow_files(workers: int) -> None:
    """Raises InfrastructureError where this process may not have enough files open for so many workers."""
    few, each = _FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = few + each * workers
    if needed > hard:
        raise InfrastructureError(
            f"{workers} workers need {needed} open files, and this machine allows {hard} (ulimit -n)"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, needed), hard))


def _work(where: str, words: list[str], threads_given: bool) -> None:
    """The process of a worker. `threads_given`: the user chose the number of numpy's threads."""
    from rtstone.cli import main
    from rtstone.measure import signals

    gc.freeze()  # a search of the collector would copy the shared memory
    os.setpgid(0, 0)  # Ctrl-C is only for the command, which ends its workers by itself
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signals())
    if not threads_given:
        os.environ.pop(
            NUMPY_THREADS, None
        )  # `rtstone.cli.main` has set it for numpy; programs of the user do not get it
    if where:
        os.environ["RTSTONE_ARCHIVE"] = where  # not on a command line, which every user can read
    main(["measure-all", "worker", *words])


def _end(own: list[_OwnWorker]) -> None:
    for one in own:
        one.process.terminate()
    give_up = time.monotonic() + _END_S
    try:
        for one in own:
            one.process.join(max(0.0, give_up - time.monotonic()))
    finally:  # also after a second Ctrl-C: at its exit, Python waits without end for a process that has not ended
        for one in own:
            one.process.kill()
        for one in own:
            one.process.join()


def _patiently(ask: Callable[[], _Made]) -> _Made:
    """The database's answer; it may be unreachable for ten minutes, and each ten seconds a line names the reason.
    Used before anything is measured, so Ctrl-C ends it."""
    from rtstone.cli._output import say
    from rtstone.lab._patience import EndedError, patiently
    from rtstone.measure import Interruption

    say_at = 0.0

    def away(error: InfrastructureError) -> None:
        nonlocal say_at
        if time.monotonic() >= say_at:
            say_at = time.monotonic() + _AWAY_EVERY_S
            say(f"{error}; trying again")

    with Interruption() as asked:
        try:
            return patiently(ask, asked, away, for_s=_AWAY_S)
        except EndedError:
            raise KeyboardInterrupt from None


def _request_in_words(request: str) -> str:
    from rtstone.lab.worker import decoded

    try:
        work = decoded(request)
    except UsageError:
        return repr(request[:60])
    return ", ".join(filter(None, (work.target, work.study or work.measurement, work.load, f"seed {work.seed}")))
