# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The examples at the end of each command's help and manual page, as data; a test runs them."""

from __future__ import annotations

from rtstone.cli._commands import Example

_Lines = tuple[tuple[str, str], ...]


def _all(by_name: dict[str, _Lines], **by_word: _Lines) -> dict[str, tuple[Example, ...]]:
    lines = by_name | {
        word.rstrip("_").replace("__", " ").replace("_", "-"): examples for word, examples in by_word.items()
    }
    return {name: tuple(Example(f"rtstone {line}", what) for line, what in some) for name, some in lines.items()}


EXAMPLES = _all(
    {
        "doctor --clean": (
            ("doctor --clean ssh:me@ioc7", "the engine that a run copied there"),
            ("doctor --clean 'ssh:me@ioc7?sudo'", "the engine of root, for runs with ?sudo"),
        ),
        "fit --tail": (
            ("fit --tail last", "the rarest latency that the samples allow"),
            ("fit --tail last --quantity interrupt-task-response --once-in 1e6", "one quantity, once in a million"),
        ),
    },
    run=(
        ("run --study sscl --profile quick", "one study, about a minute"),
        ("run -m interrupt-response --period 1ms --load none,cpu+disk", "one measurement, idle and under two loads"),
        ("run -t 'board:arm64/*' --study sscl,slac", "all kernels of a virtual board, a column each"),
    ),
    watch=(
        ("watch --load cpu", "the thread's wake-up under CPU load, until Ctrl-C"),
        ("watch -m interrupt-split --duration 10min", "the stages from the interrupt to the thread, for ten minutes"),
    ),
    list_=(
        ("list loads", "the loads, and the unit of their intensity"),
        ("list targets", "the words for --target"),
        ("list measurements --json", "for a program"),
    ),
    show=(
        ("show last", "the summary screen of the last run"),
        ("show last~1 last --tables", "two runs side by side in the papers' tables"),
        ("show last --results", "the machine's facts, and each session's results"),
    ),
    report=(
        ("report last -o report.html", "one page, which needs no network"),
        ("report last --format svg -o charts", "a file for each chart"),
    ),
    reference=(
        ("reference --study slac", "one paper's figures"),
        ("reference --study sscl --table 2 --notes", "one table, with its doubtful figures"),
        ("reference --format csv", "all papers, for a program"),
    ),
    traits=(
        ("traits --study sscl", "one paper's platforms beside this machine"),
        (
            "traits --platform vxworks --means",
            "one platform beside this machine, and how the machine's traits were found",
        ),
    ),
    compare=(
        ("compare before after", "two runs by their labels"),
        ("compare A1,A2,A3 B1,B2,B3 -o changes.html", "three runs a side, as a page"),
        ("compare A1,A2,A3 B1,B2,B3 --fail-on-regression", "for a script"),
    ),
    history=(
        ("history interrupt-task-response --load none", "one quantity of all runs, idle"),
        ("history semaphore-ping --statistic p99 --fail-on-regression", "for a script: exit code 1 if it stepped up"),
    ),
    check=(
        ("check gate.toml", "the last run"),
        ("check gate.toml --measure --junit check.xml", "measure by the file, then judge"),
    ),
    fit=(
        ("fit --period 1ms --deadline 100us", "measure now, about a minute"),
        ("fit --period 1ms --deadline 100us --exceedance 1ppm last", "judge a saved run"),
    ),
    boards=(
        ("boards", "all boards, and missing packages"),
        ("boards --build arm64/freertos", "make one kernel ready"),
    ),
    boards__accept=(
        ("boards accept arm64/freertos", "the test of one kernel"),
        ("boards accept 'riscv32/*' --json", "all kernels of a board, for a program"),
    ),
    boards__verify=(
        ("boards verify arm64/bare", "run it twice, compare every byte"),
        ("boards verify arm64 --runs 5 --jobs 2", "all kernels of a board, five runs each"),
    ),
    boards__export=(
        ("boards export rtstone", "sources, a port's template, and build files"),
        ("boards export third-party/rtstone", "into a tree of your own"),
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
        ("archive prune --raw-older-than 30d --runs-older-than 400d", "list what a prune would remove"),
        (
            "archive prune --raw-older-than 30d --yes",
            "remove the unprocessed output of old runs",
        ),
    ),
    archive__grant=(
        ("archive grant nightly write", "a role that saves runs"),
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
        ("import cyclictest.json --label before", "a file of cyclictest --json"),
        ("import --tool oslat first.json second.json --together", "two files as repetitions of one run"),
        ("import run.json", "a run that export wrote"),
    ),
    export=(
        ("export last --format csv -o run.csv", "one row for each result"),
        ("export last -o run.json", "everything; import reads it"),
        ("export --list", "the formats"),
    ),
    doctor=(
        ("doctor", "the findings, and how to fix them"),
        ("doctor --target ssh:me@ioc7", "another machine"),
        ("doctor --strict", "for a script"),
    ),
    doctor__priorities=(
        ("doctor priorities", "the threads of this machine"),
        ("doctor priorities --cpu 1", "the threads of CPU 1"),
        ("doctor priorities --target ssh:me@ioc7 --json", "the threads of another machine, for a program"),
    ),
    doctor__clocks=(
        ("doctor clocks", "the clocks of this machine"),
        ("doctor clocks --of semaphore-get-release", "one figure, timed by each clock"),
        ("doctor clocks --cpu 1 --json", "on CPU 1, for a program"),
    ),
    peer=(
        ("peer --bind 192.0.2.1", "on the usual port, 5741"),
        ("peer --bind 192.0.2.1:6000", "on another port"),
    ),
    stimulus=(
        ("stimulus 192.0.2.1", "10000 datagrams in ten seconds"),
        (
            "stimulus 192.0.2.1 --period 250us --count 100000 --label idle",
            "with another period",
        ),
    ),
    config=(
        ("config", "every setting, and who set it"),
        ("config --json", "for a program"),
    ),
    config__completion=(
        ("config completion bash >> ~/.bash_completion", "bash"),
        ("config completion zsh > ~/.zfunc/_rtstone", "zsh, with fpath+=~/.zfunc before compinit"),
        ("config completion fish > ~/.config/fish/completions/rtstone.fish", "fish"),
    ),
    config__manual=(
        ("config manual -o ~/.local/share/man/man1", "where man looks"),
        ("config manual --format markdown -o pages", "pages for a site"),
    ),
)
"""Words of a command -> its examples."""
