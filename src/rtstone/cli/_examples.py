# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The examples at the end of each command's help and manual page, as data; a test runs them."""

from __future__ import annotations

from typing import NamedTuple


class Example(NamedTuple):
    """A command as a user types it, and what it does."""

    line: str
    what: str


def _all(**lines: tuple[tuple[str, str], ...]) -> dict[str, tuple[Example, ...]]:
    return {
        name.rstrip("_").replace("__", " ").replace("_", "-"): tuple(
            Example(f"rtstone {line}", what) for line, what in some
        )
        for name, some in lines.items()
    }


EXAMPLES = _all(
    run=(
        ("run --study sscl --profile quick", "one study, about a minute"),
        ("run -m interrupt-response --period 1ms --load none,cpu+disk", "one measurement, idle and under two loads"),
        ("run -t 'board:arm64/*' --study sscl,slac", "all kernels of a virtual board, a column each"),
    ),
    measure_all=(
        ("measure-all lab.toml --workers 4", "all that the file says, by four workers of this machine"),
        ("measure-all lab.toml --workers 0", "by workers on other machines"),
        ("measure-all lab.toml --again", "once more"),
    ),
    worker=(
        ("worker", "whatever waits in the usual archive"),
        ("worker --until-done --archive postgresql://bench@db.example/lab", "until all is measured"),
    ),
    watch=(
        ("watch --load cpu", "the thread's wake-up under CPU load, until Ctrl-C"),
        ("watch -m interrupt-split --for 10min", "the stages of the way to the thread, for ten minutes"),
    ),
    attach=(
        ("attach --comm scan-1 --duration 1min", "threads of this name"),
        ("attach --pid 1234 --label before", "all threads of a process"),
        ("attach --unit ioc7.service --cost", "a service's, and what watching costs"),
    ),
    list_=(
        ("list loads", "the loads, and what their intensity counts"),
        ("list targets", "what may stand behind --target"),
        ("list measurements --json", "for a program"),
    ),
    show=(
        ("show last", "the papers' tables with the last run's columns"),
        ("show last~1 last", "two runs side by side"),
        ("show last --results", "what the archive holds of the run"),
    ),
    report=(
        ("report last -o report.html", "one page, which needs no network"),
        ("report last --format svg -o charts", "a file for each chart"),
    ),
    serve=(
        ("serve", "the usual archive, for browsers of this machine"),
        ("serve --bind 10.0.0.1 --token-file t --certificate a.crt --key a.key", "for others"),
        ("serve --name lab.example --token-file t --behind-proxy", "a proxy on this machine speaks TLS"),
    ),
    tune=(
        ("tune settings.toml -o keep.conf", "the settings of a file, on this machine"),
        ("tune --resume last", "the rest of an interrupted experiment"),
        ("tune --restore", "undo what a killed experiment has left"),
    ),
    reference=(
        ("reference --study slac", "one paper's figures"),
        ("reference --study sscl --table 2 --notes", "one table, with what is doubtful about it"),
        ("reference --format csv", "all papers, for a program"),
    ),
    traits=(
        ("traits --study sscl", "one paper's platforms beside this machine"),
        ("traits --platform vxworks --means", "one platform, and how this machine was looked at"),
    ),
    compare=(
        ("compare before after", "two runs by their labels"),
        ("compare A1,A2,A3 B1,B2,B3 -o changes.html", "three runs a side, as a page"),
        ("compare before after --changed --fail-on-regression", "for a script: exit code 1 if anything regressed"),
    ),
    history=(
        ("history interrupt-task-response --load none", "one quantity of all runs, idle"),
        ("history semaphore-ping --statistic p99 --fail-on-regression", "for a script: exit code 1 if it stepped up"),
    ),
    check=(
        ("check gate.toml", "the last run"),
        ("check gate.toml --measure --junit check.xml", "measure what the file asks for, then judge it"),
    ),
    fit=(
        ("fit --period 1ms --deadline 100us", "measure now, about a minute"),
        ("fit --period 1ms --deadline 100us --exceedance 1ppm last", "judge a run that was kept"),
    ),
    explain=(
        ("explain last", "the slowest sample of the last run, and what made it slow"),
        ("explain last --load none --sample p99.9", "another sample"),
        ("explain last --format html -o late.html", "a page with a timeline and a flame chart"),
    ),
    bound=(
        ("bound last", "how late a task can be switched to, and what makes it so"),
        ("bound last --format html -o bound.html", "a page with the bound's parts beside what was observed"),
        ("bound last --json", "terms, places and interrupts, for a program"),
    ),
    tails=(
        ("tails last", "as rare as the samples allow"),
        ("tails last -m interrupt-task-response --once-in 1e6", "one quantity, once in a million"),
    ),
    boards=(
        ("boards", "what there is, and what is missing"),
        ("boards --build arm64/freertos", "fetch and build now what the first run would"),
    ),
    verify_board=(
        ("verify-board arm64/bare", "run it twice, compare every byte"),
        ("verify-board arm64 --runs 5 --jobs 2", "all kernels of a board, five runs each"),
    ),
    engine=(
        ("engine --export rtstone", "sources, a port's template, and what make and CMake need"),
        ("engine --export third-party/rtstone", "into a tree of your own"),
    ),
    ioc=(
        ("ioc --period 1ms", "serve on the loopback interface until Ctrl-C"),
        ("ioc --load 1000 --pause 0 --duration 30s", "load it back to back for half a minute"),
        ("ioc --build", "only build it"),
    ),
    archive=(
        ("archive list", "the last twenty runs"),
        ("archive delete last --yes", "delete a run without being asked"),
    ),
    archive__list=(
        ("archive list --target local --study sscl", "one target's runs of one study"),
        ("archive list -n 0 --json", "all runs, for a program"),
    ),
    archive__delete=(
        ("archive delete last~1 last", "two runs; you are asked first"),
        ("archive delete last --yes", "without being asked"),
    ),
    archive__prune=(
        ("archive prune --raw-older-than 30d --runs-older-than 400d", "say what would go"),
        ("archive prune --raw-older-than 30d --yes", "remove old raw record streams; figures stay"),
    ),
    archive__grant=(
        ("archive grant nightly write", "a role that saves runs, and may delete its own"),
        ("archive grant page read --archive postgresql://db/lab", "a role that reads"),
    ),
    archive__upgrade=(
        ("archive upgrade", "the usual archive"),
        ("archive upgrade --archive lab.sqlite", "another one"),
    ),
    archive__path=(
        ("archive path", "where the runs are"),
        ("archive path --archive lab.sqlite", "where another archive would be"),
    ),
    import_=(
        ("import cyclictest.json --label before", "what cyclictest wrote by --json"),
        ("import --tool oslat first.json second.json --together", "two files as repetitions of one run"),
        ("import run.json", "a run that export wrote"),
    ),
    export=(
        ("export last --format csv -o run.csv", "every result in a row"),
        ("export last -o run.json", "everything; import reads it"),
        ("export --list", "the formats"),
    ),
    doctor=(
        ("doctor", "what was found, and how to mend it"),
        ("doctor --target ssh:me@ioc7", "the same of another machine"),
        ("doctor --strict", "for a script: exit code 4 if a run here would be degraded"),
    ),
    priorities=(
        ("priorities", "this machine's, and what is commonly wrong"),
        ("priorities --cpu 1", "only the threads that may run on CPU 1"),
        ("priorities --target ssh:me@ioc7 --json", "another machine's, for a program"),
    ),
    clocks=(
        ("clocks", "this machine's"),
        ("clocks --of semaphore-get-release", "what each makes of one figure"),
        ("clocks --cpu 1 --json", "read on one CPU, for a program"),
    ),
    clean=(
        ("clean ssh:me@ioc7", "the engine that a run brought there"),
        ("clean 'ssh:me@ioc7?sudo'", "that of root"),
    ),
    ioc_load=(
        ("ioc-load --address 192.0.2.1", "the paper's load of an IOC there, until Ctrl-C"),
        ("ioc-load --address 192.0.2.1 --records 500 --pause 500ms --for-run", "as a run there asks"),
    ),
    peer=(
        ("peer --bind 192.0.2.1", "on the usual port, 5741"),
        ("peer --bind 192.0.2.1:6000", "on another port"),
    ),
    stimulus=(
        ("stimulus 192.0.2.1", "10000 datagrams in ten seconds"),
        ("stimulus 192.0.2.1 --period 250us --count 100000 --label idle", "another rate, and a name for the run"),
    ),
    config=(
        ("config", "every setting, and who set it"),
        ("config --json", "for a program"),
    ),
    completion=(
        ("completion bash > ~/.local/share/bash-completion/completions/rtstone", "bash"),
        ("completion zsh > ~/.zfunc/_rtstone", "zsh, with fpath+=~/.zfunc before compinit"),
        ("completion fish > ~/.config/fish/completions/rtstone.fish", "fish"),
    ),
    manual=(
        ("manual -o ~/.local/share/man/man1", "where man looks"),
        ("manual --format markdown -o pages", "pages for a site"),
    ),
)
"""Words of a command -> its examples."""
