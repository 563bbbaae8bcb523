# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns the commands' own definition into pages: as data, as man pages (troff), as Markdown for the documentation."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from rtstone.cli import _app
from rtstone.cli._commands import Example

_EXIT = "Exit codes: "
_VALUE_TYPE = re.compile(r"<list\[(\w+)\]>|<(\w+)(?: range)?>")
_REQUIRED = re.compile(r"\{([^{}]+)\}(\.\.\.)?")
_TYPES = {"str": "TEXT", "int": "N", "float": "X", "path": "PATH", "Path": "PATH"}

EXIT_CODES = (
    ("0", "done, or the check passed"),
    (
        "1",
        "a bound is exceeded, a figure regressed, no level meets the deadline, a kernel is not accepted, or runs of a board differ",
    ),
    ("2", "the command or a file that it was given is wrong; nothing was measured"),
    ("3", "the target, the archive or this machine failed"),
    ("4", "incomplete, inconclusive, a result failed the engine's checks, or with --strict degraded"),
    ("125", "only from check --bisect, which can also end with 128 or more"),
    ("130", "interrupted; complete results are saved. Commands that last until Ctrl-C end with 0 instead (peer: 130)"),
)

FILES = (
    ("$XDG_DATA_HOME/rtstone/archive.sqlite", "the archive: every run (~/.local/share, if not set)"),
    ("$XDG_CONFIG_HOME/rtstone/rtstone.toml", "settings of the user (~/.config)"),
    ("$XDG_CONFIG_HOME/rtstone/boards/<board>/board.toml", "boards of your own (docs/how-to/bring-your-own.md)"),
    ("rtstone.toml", "settings of a project, in the working folder or the nearest parent folder that has one"),
    ("$XDG_CACHE_HOME/rtstone", "a cache that may be deleted: boards' images, the charts' script (~/.cache)"),
)

ENVIRONMENT = (
    ("RTSTONE_<SETTING>", "a setting, as `rtstone config` lists them: RTSTONE_PROFILE, RTSTONE_REPORT_THEME"),
    ("RTSTONE_ENGINE", "another engine instead of the installed one"),
    ("RTSTONE_BOARDS", "a folder of boards of your own, as --boards names it"),
    ("RTSTONE_TRACEBACK", "if set, an unexpected error prints its traceback"),
    ("NO_COLOR", "no colours"),
)


class ManualEntry(msgspec.Struct, frozen=True):
    """A term and its explanation: an option, an argument, a command."""

    term: str
    text: str


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """One command's manual."""

    words: tuple[str, ...]
    """("rtstone", "archive", "list")."""
    usage: str
    summary: str
    description: tuple[str, ...] = ()
    """Paragraphs after the first, without exit codes."""
    exit_codes: tuple[ManualEntry, ...] = ()
    arguments: tuple[ManualEntry, ...] = ()
    options: tuple[ManualEntry, ...] = ()
    commands: tuple[ManualEntry, ...] = ()
    examples: tuple[Example, ...] = ()

    @property
    def name(self) -> str:
        """The page's name: `rtstone-archive-list`."""
        return page_name(self.words)


def page_name(words: Sequence[str]) -> str:
    """The name of a command's page: `rtstone-doctor-clean` of `rtstone doctor --clean`."""
    return "-".join(word.strip("-") for text in words for word in text.split())


def pages() -> tuple[Page, ...]:
    """Every command's page, the whole program's first, in the order of ``--help``."""
    import typer

    command: Any = typer.main.get_command(_app.build())
    return tuple(_walk(command, command.make_context("rtstone", [], resilient_parsing=True), ("rtstone",)))


def _walk(command: Any, context: Any, words: tuple[str, ...]) -> Iterator[Page]:
    under = [
        (name, command.get_command(context, name))
        for name in (command.list_commands(context) if _group(command) else ())
    ]
    under = [(name, one) for name, one in under if not one.hidden]
    yield _page(command, context, words, under)
    for name, one in under:
        inner = type(context)(one, info_name=name, parent=context, resilient_parsing=True)
        yield from _walk(one, inner, (*words, *name.split()))


def _group(command: Any) -> bool:
    return hasattr(command, "list_commands")


def _page(command: Any, context: Any, words: tuple[str, ...], under: list[tuple[str, Any]]) -> Page:
    paragraphs = [" ".join(part.split()) for part in (command.help or "").split("\n\n") if part.strip()]
    exits = [part for part in paragraphs[1:] if part.startswith(_EXIT)]
    listed: dict[str, list[ManualEntry]] = {"argument": [], "option": []}
    for one in command.get_params(context):
        record = one.get_help_record(context)
        if record is not None:
            listed[one.param_type_name].append(ManualEntry(_term(record[0]), " ".join(record[1].split())))
    return Page(
        words=words,
        usage=_REQUIRED.sub(r"\1", " ".join(command.get_usage(context).removeprefix("Usage: ").split())),
        summary=paragraphs[0],
        description=tuple(part for part in paragraphs[1:] if part not in exits),
        exit_codes=tuple(code for part in exits for code in _codes(part)),
        arguments=tuple(listed["argument"]),
        options=tuple(listed["option"]),
        commands=tuple(ManualEntry(name, one.get_short_help_str(limit=500)) for name, one in under),
        examples=_app.examples(" ".join(words[1:])),
    )


def _term(term: str) -> str:
    """`FILE.toml <path>` and `--label <str>`: a name says more than a Python type."""
    if not term.startswith("-"):
        return _VALUE_TYPE.sub("", term).strip()
    return _VALUE_TYPE.sub(lambda found: _TYPES.get(found[1] or found[2], "VALUE"), term)


def _codes(paragraph: str) -> Iterator[ManualEntry]:
    """`Exit codes: 0 measured; 2 usage.` → entries;
    a part without a number at its beginning belongs to the previous one."""
    found: list[ManualEntry] = []
    for part in paragraph.removeprefix(_EXIT).rstrip(".").split("; "):
        number, _, text = part.partition(" ")
        if number.isdigit():
            found.append(ManualEntry(number, text))
        elif found:
            found[-1] = ManualEntry(found[-1].term, f"{found[-1].text}; {part}")
    yield from found


def man(page: Page, version: str) -> str:
    """The page as a man page of section 1."""
    lines = [f'.TH {page.name.upper()} 1 "" "rtstone {version}" "rtstone"', ".SH NAME"]
    lines += [f"{_roff(page.name)} \\- {_roff(page.summary.rstrip('.'))}"]
    lines += [
        ".SH SYNOPSIS",
        f".B {_roff(' '.join(page.words))}",
        _roff(page.usage.removeprefix(" ".join(page.words)).strip()),
    ]
    lines += [".SH DESCRIPTION", _roff(page.summary)]
    for paragraph in page.description:
        lines += [".PP", _roff(paragraph)]
    sections = [
        ("COMMANDS", page.commands),
        ("ARGUMENTS", page.arguments),
        ("OPTIONS", page.options),
        ("EXIT STATUS", page.exit_codes),
    ]
    if len(page.words) == 1:
        sections[-1] = ("EXIT STATUS", tuple(ManualEntry(*row) for row in EXIT_CODES))
        sections += [("FILES", tuple(ManualEntry(*row) for row in FILES))]
        sections += [("ENVIRONMENT", tuple(ManualEntry(*row) for row in ENVIRONMENT))]
    for heading, entries in sections:
        if entries:
            lines.append(f".SH {heading}")
            for entry in entries:
                lines += [".TP", f".B {_roff(entry.term)}", _roff(entry.text)]
    if page.examples:
        lines.append(".SH EXAMPLES")
        for one in page.examples:
            lines += [".TP", f".B {_roff(one.line)}", _roff(one.what[0].upper() + one.what[1:])]
    lines += [".SH SEE ALSO", _also(page)]
    return "\n".join(lines) + "\n"


def _also(page: Page) -> str:
    above = [page_name(page.words[:-1])] if len(page.words) > 1 else []
    names = [*above, *(page_name((*page.words, command.term)) for command in page.commands)]
    return ",\n".join(f"{_roff(name)}(1)" for name in names)


def _roff(text: str) -> str:
    r"""Text that troff shows as it is: no line of it is a request, hyphens are those of options."""
    safe = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("'", "\\(aq")
    ascii_only = "".join(c if c.isascii() else f"\\[u{ord(c):04X}]" for c in safe)
    return "\\&" + ascii_only if safe.startswith(".") else ascii_only


def markdown(page: Page) -> str:
    """The page as Markdown, for the documentation."""
    parts = [f"# {' '.join(page.words)}", _md(page.summary), f"```text\n{page.usage}\n```"]
    parts += [_md(paragraph) for paragraph in page.description]
    if page.commands:
        parts.append("## Commands\n\n| | |\n|-|-|")
        parts[-1] += "".join(
            f"\n| [{one.term}]({page_name((*page.words, one.term))}.md) | {_cell(one.text)} |" for one in page.commands
        )
    exits = page.exit_codes if len(page.words) > 1 else tuple(ManualEntry(*row) for row in EXIT_CODES)
    for heading, entries in (("Arguments", page.arguments), ("Options", page.options), ("Exit codes", exits)):
        if entries:
            parts.append(f"## {heading}\n\n| | |\n|-|-|")
            parts[-1] += "".join(f"\n| `{_pipe(one.term)}` | {_cell(one.text)} |" for one in entries)
    if page.examples:
        width = max(len(one.line) for one in page.examples)
        lines = "".join(f"    {one.line:<{width}}  # {one.what}\n" for one in page.examples)
        parts.append(f"## Examples\n\n{lines.rstrip()}")
    return "\n\n".join(parts) + "\n"


def reference(every: Sequence[Page]) -> str:
    """All pages as one, for the repository: docs/reference/cli.md."""
    first, *rest = every
    head = [
        "<!-- SPDX-FileCopyrightText: 2026 rtstone contributors -->\n<!-- SPDX-License-Identifier: Apache-2.0 -->",
        "<!-- Made by `python -m rtstone.cli._manual`: change the commands, not this page. -->",
        "# Command line",
        "Every command, argument and option. `rtstone COMMAND --help` and the man pages have the same texts (`make install-man`).",
    ]
    links = {f"]({page.name}.md)": f"](#{page.name})" for page in every}
    parts = [*head, _below(markdown(first), "## Commands and exit codes", links)]
    parts += [_below(markdown(page), f"## {' '.join(page.words)}", links) for page in rest]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _below(text: str, heading: str, links: Mapping[str, str]) -> str:
    """A page as a section of another: its heading, headings one level further down, links within the one page."""
    _, _, body = text.partition("\n\n")
    for there, here in links.items():
        body = body.replace(there, here)
    return f"{heading}\n\n{body}".replace("\n## ", "\n### ")


def _md(text: str) -> str:
    """Text as Markdown: text in backquotes stays code, nothing else is markup."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        parts = [text.replace("`", "\\`")]
    return "`".join(part if i % 2 else re.sub(r"([\\*_<>\[\]#])", r"\\\1", part) for i, part in enumerate(parts))


def _cell(text: str) -> str:
    return _pipe(_md(text))


def _pipe(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(reference(pages()))
