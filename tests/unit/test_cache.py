# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The remains of killed makers in the cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtstone.cache import cache_root, cached, locked


@pytest.mark.parametrize("maker", ["thing", "another-1.0"])
def test_whoever_makes_next_sweeps_what_a_killed_one_left(maker: str) -> None:
    """The next maker removes remains of any name, because nobody may want the killed one's name again."""
    left = cache_root() / "kind" / f".{maker}.abcd_123"
    left.mkdir(parents=True)
    made = cached("kind", "thing", lambda folder: (folder / "content").touch())
    assert (made / "content").is_file()
    assert not left.exists()


def test_what_somebody_is_at_work_on_stays() -> None:
    def make(folder: Path) -> None:
        draft = next(folder.parent.glob(".other.*/"))
        assert draft.is_dir()

    draft = cache_root() / "kind" / ".other.abcd_123"
    draft.mkdir(parents=True)
    with locked(draft.with_name(".other.lock")):
        cached("kind", "thing", make)
    assert draft.is_dir()
