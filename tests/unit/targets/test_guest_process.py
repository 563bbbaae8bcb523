# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How long a guest is listened to: a shell stands in for the emulator."""

from __future__ import annotations

import os

import pytest

from rtstone.targets import _guest


def test_what_a_guest_says_on_its_way_to_power_off_is_heard_on_a_busy_host_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host gives its emulator no CPU for longer than a guest needs: else the same session would be kept in two forms."""
    monkeypatch.setattr(_guest, "GRACE_S", 0.5)
    records, console = os.memfd_create("records"), os.memfd_create("console")
    does = f"""echo '~1 {{"t":"bye"}}' > /proc/self/fd/{records}; sleep 0.8; echo off > /proc/self/fd/{console}"""
    try:
        guest = _guest.GuestProcess(
            "it",
            ["sh", "-c", does],
            records=records,
            console=console,
            inherit=(records, console),
            limits=_guest.Limits(60.0, 60.0),
        )
        assert list(guest.run(min(os.sched_getaffinity(0)))) == [b'~1 {"t":"bye"}', b"[console] off"]
    finally:
        os.close(records)
        os.close(console)
