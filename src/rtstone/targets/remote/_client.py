# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs /bin/sh on the remote host by the user's own ssh. Errors give the reason in one line."""

from __future__ import annotations

import re
import secrets
import shlex
import subprocess
from collections.abc import Sequence

import msgspec

from rtstone.errors import InfrastructureError
from rtstone.stream import framing
from rtstone.targets.remote._address import Address

TIMEOUT_S = 60
SSH_FAILED = 255

# BatchMode: ssh asks nobody for a password or a host key. The options turn off everything that a configuration may add
# to a person's session (a terminal, forwarded ports, an agent, another command). They turn off keep-alive messages too,
# which would be traffic during the measurement.
_OPTIONS = (
    *(
        "-T",
        "-a",
        "-x",
        "-oBatchMode=yes",
        "-oClearAllForwardings=yes",
        "-oRemoteCommand=none",
        "-oPermitLocalCommand=no",
    ),
    *("-oServerAliveInterval=0", "-oConnectTimeout=30", "-oLogLevel=ERROR", "-oForkAfterAuthentication=no"),
    *("-oStdinNull=no", "-oSessionType=default", "-oEscapeChar=none"),
)


class ScriptResult(msgspec.Struct, frozen=True):
    """A script's exit code and output."""

    code: int
    lines: tuple[bytes, ...]
    """The lines of its own output, without the text before its mark (a shell's banner)."""
    error: str
    """The last line of standard error, from ssh or from the script."""

    def values(self, key: str) -> list[str]:
        """The rest of each line that begins with ``@key``."""
        head = f"@{key}".encode()
        return [
            framing.console_text(line[len(head) + 1 :], 400)
            for line in self.lines
            if line == head or line.startswith(head + b" ")
        ]


def command(address: Address, script: str) -> tuple[list[str], bytes]:
    """The local command that runs a script on the machine, and the line with which the script's own output begins."""
    nonce = secrets.token_hex(12)
    mark = f"@rtstone-{nonce}"
    body = f'printf "\\n%s\\n" {mark}\n{script}'.replace("NONCE", nonce)
    shell = f"/bin/sh -c {_UNPACK} '{_packed(body)}'"
    return ["ssh", *_OPTIONS, *address.words, f"exec {'sudo -n -H ' if address.sudo else ''}{shell}"], mark.encode()


_UNPACK = """'eval "$(printf %b "$0")"'"""


def _packed(script: str) -> str:
    """The script in a form that printf's %b unpacks. It has no line ends, quotes and other characters that login shells
    interpret in different ways."""
    return "".join(c if c.isascii() and (c.isalnum() or c in _PLAIN) else f"\\0{ord(c):03o}" for c in script)


_PLAIN = frozenset(" _-./:;=,@%+")


def ask(address: Address, script: str, given: bytes | None = None, *, timeout_s: float = TIMEOUT_S) -> ScriptResult:
    """Runs a script to its end. `given`: its standard input. Raises InfrastructureError if the script did not run."""
    words, mark = command(address, script)
    try:
        done = subprocess.run(
            words,
            input=given,
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            timeout=timeout_s,
            check=False,
            process_group=0,
        )
    except OSError as error:
        raise cannot_start(address, error) from error
    except subprocess.TimeoutExpired:
        raise InfrastructureError(f"{name(address)}: no answer within {timeout_s:.0f} s") from None
    before, found, rest = done.stdout.partition(b"\n" + mark + b"\n")
    said = [line for line in done.stderr.splitlines() if line.strip()]
    last = framing.console_text(said[-1], 300) if said else ""
    if not found:
        raise InfrastructureError(why(address, done.returncode, said, before))
    return ScriptResult(done.returncode, tuple(rest.splitlines()), last)


def name(address: Address) -> str:
    """The machine's name in errors."""
    return f"ssh:{address.text}"


def cannot_start(address: Address, error: OSError) -> InfrastructureError:
    """The error that ssh cannot be started on this machine."""
    return InfrastructureError(
        f"{name(address)}: ssh cannot be started: {error.strerror}; apt-get install openssh-client"
    )


def why(address: Address, code: int, said: Sequence[bytes], output: bytes = b"") -> str:
    """The error in one line for a connection on which no script ran."""
    text = b"\n".join(said)
    plain = f"ssh {' '.join(address.words).replace('-- ', '')}"
    last = framing.console_text(said[-1], 300) if said else ""
    if b"IDENTIFICATION HAS CHANGED" in text:
        reason = f"its host key is another one than before; if that is right: {_forget(address, said)}"
    elif b"Host key verification failed" in text:
        reason = f"its host key is not known; connect once, check the key, and accept it: {plain}"
    elif b"Permission denied (" in text:
        reason = f"it accepts no login without a password; set up a key: ssh-copy-id {plain.removeprefix('ssh ')}"
    elif b"sudo:" in text:
        reason = f"sudo does not run the engine without a password: {last}"
    elif code == SSH_FAILED:
        reason = last or "the connection failed"
    else:
        other = [line for line in output.splitlines() if line.strip()]
        shown = framing.console_text((other or [b""])[-1], 200) or last
        reason = f"its login shell did not run /bin/sh (exit code {code})" + (f"; it said: {shown}" if shown else "")
    return f"{name(address)}: {reason}"


def _forget(address: Address, said: Sequence[bytes]) -> str:
    """The command that removes a machine's old host key from the file in which ssh found it, under the name (with the
    port, say) that it has there."""
    text = "\n".join(framing.console_text(line.rstrip()) for line in said)
    file = re.search(r"^Offending \S+ key in (.+):\d+$", text, re.MULTILINE)
    known_as = re.search(r"^Host key for (\S+) has changed", text, re.MULTILINE)
    words = ["ssh-keygen", *(["-f", file[1]] if file else []), "-R", known_as[1] if known_as else address.host]
    return shlex.join(words)
