# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The emulator that is built here: our lines in QEMU's source, the build from a package, which boards run in it, and their identity."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rtstone.cache import cache_root
from rtstone.errors import InfrastructureError
from rtstone.explain._trace import plugin_interface
from rtstone.targets import boards
from rtstone.targets._emulator import identity
from rtstone.targets.boards import emulator
from rtstone.targets.boards.guest._debian import Debian
from support.debian_archive import Archive

ICOUNT = """\
void icount_start_warp_timer(void)
{
        if (!all_cpu_threads_idle()) {
            return;
        }
}
"""
LOOP = """\
static void *rr_cpu_thread_fn(void *arg)
{
                int r;

                unlock();
                    icount_process_data(cpu);
}
"""
LAYOUTS = ("softmmu/icount.c", "accel/tcg/icount-common.c")

# What stands for QEMU's: it makes programs that list the devices of the tree's file `devices`, and a PC among their machines.
CONFIGURE = """\
#!/bin/sh
grep -q icount_uncounted "$(dirname "$0")/softmmu/icount.c" || exit 1
grep -qx CONFIG_EDU=y "$(dirname "$0")/configs/devices/x86_64-softmmu/rtstone.mak" || exit 1
printf '%s\\n' "$@" >said
{ echo '#include <stdio.h>'; echo 'int main(void) {'
echo 'puts("Supported machines are:"); puts("pc    a PC");'
sed 's/.*/puts("name \\\\\\"&\\\\\\"");/' "$(dirname "$0")/devices"; echo 'return 0; }'; } >program.c
gcc -o program program.c || exit 1
{ echo 'rule copy'; echo '  command = cp program $out'
for one in x86_64 aarch64 arm m68k riscv32; do echo "build qemu-system-$one: copy"; done; } >build.ninja
"""
SOURCE = {"softmmu/icount.c": ICOUNT, "accel/tcg/tcg-accel-ops-rr.c": LOOP, "configure": CONFIGURE}
DEVICES = "edu\ne1000\nivshmem-plain\npci-serial\npvpanic-pci\nloader\n"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def _tree(folder: Path, layout: str = LAYOUTS[0], icount: str = ICOUNT, loop: str = LOOP) -> Path:
    for name, content in {layout: icount, "accel/tcg/tcg-accel-ops-rr.c": loop}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


@pytest.mark.parametrize("layout", LAYOUTS)
def test_our_lines_are_where_they_must_be(tmp_path: Path, layout: str) -> None:
    tree = _tree(tmp_path, layout)
    emulator.mend(tree)
    icount, loop = (tree / layout).read_text(), (tree / "accel/tcg/tcg-accel-ops-rr.c").read_text()
    test = icount.index("qatomic_load_acquire(&icount_uncounted)")
    assert icount.index("bool icount_uncounted;") < icount.index("void icount_start") < test < icount.index("all_cpu")
    begun, ended = loop.index("icount_uncounted, true"), loop.index("icount_uncounted, false")
    assert loop.index("int r;") < begun < loop.index("unlock()"), "it is set with the lock held"
    assert loop.index("icount_process_data") < ended
    assert loop.index("extern bool icount_uncounted;") < loop.index("rr_cpu_thread_fn")


@pytest.mark.parametrize(
    ("icount", "loop", "said"),
    [
        ("", LOOP, r"'void icount_start_warp_timer\(void\)' is in 0 lines of softmmu/icount.c"),
        (ICOUNT, LOOP + "int r;\n", "'int r;' is in 2 lines of accel/tcg/tcg-accel-ops-rr.c"),
        (ICOUNT, LOOP.replace("icount_process_data(cpu)", "other()"), "'icount_process_data"),
    ],
)
def test_another_qemu_is_not_mended(tmp_path: Path, icount: str, loop: str, said: str) -> None:
    with pytest.raises(InfrastructureError, match=said):
        emulator.mend(_tree(tmp_path, icount=icount, loop=loop))


def test_a_qemu_without_the_file_is_not_mended(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match=r"it has no softmmu/icount\.c or accel/tcg/icount-common\.c"):
        emulator.mend(_tree(tmp_path, "elsewhere.c"))


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Archive:
    """An archive that has the source of two versions."""
    made = Archive(tmp_path / "archive")
    monkeypatch.setenv("PATH", f"{made.folder / 'bin'}:/usr/bin:/bin")
    for version in ("9+a", "10+a", "8+a"):
        made.publish_emulator(version, {**SOURCE, "devices": DEVICES})
    made.publish_roms()
    monkeypatch.setattr(Debian, "obstacle", staticmethod(lambda: None))
    monkeypatch.setattr(emulator, "missing", list)
    return made


def test_it_is_built_from_the_newest_source_once(archive: Archive) -> None:
    steps: list[tuple[str, int, int]] = []
    assert emulator.built() is None
    made = emulator.build(lambda *step: steps.append(step))
    assert made == emulator.built()
    assert made.version == "10+a"
    place = Path(emulator.program(boards.load("pc"))).parent
    assert {path.name for path in place.iterdir()} == {"facts.json", "roms", *_programs()}, "the source is cleared away"
    assert {path.name for path in (place / "roms").iterdir()} >= {"bios-256k.bin", "linuxboot_dma.bin"}
    assert max(done for _, done, _ in steps) == len(_programs())
    lists = next((archive.folder.parent / "cache" / "rtstone" / "apt").glob("amd64-deb-src-*/sources.list")).read_text()
    assert lists.split()[0] == "deb-src"
    assert "http://archive.invalid/debian/ bookworm main" in lists, "the boards' release, from the host's mirror"
    assert "elsewhere" not in lists, "sources come from Debian alone"
    assert "trixie" not in lists
    assert emulator.build() == made
    assert archive.said("source") == 1


def test_a_machine_that_it_lacks_runs_in_the_installed_one(archive: Archive) -> None:
    """One program serves boards of several machines, and a user's own board may name any."""
    emulator.build()
    assert emulator.program(boards.load("pc")).startswith("/")
    assert emulator.program(boards.load("zynq-a9")) == "qemu-system-arm"


def test_a_refresh_builds_again_only_a_newer_source(archive: Archive) -> None:
    first = emulator.build()
    assert emulator.build(newest=True) == first
    assert archive.said("source") == 1
    archive.publish_emulator("11+a", {**SOURCE, "devices": DEVICES})
    assert emulator.build(newest=True).version == "11+a"


def test_a_program_without_a_board_s_device_is_not_kept(archive: Archive) -> None:
    archive.publish_emulator("12+a", {**SOURCE, "devices": DEVICES.replace("e1000\n", "")})
    with pytest.raises(InfrastructureError, match=r"the emulator built for pc has no e1000$"):
        emulator.build()
    assert emulator.built() is None


def test_a_failing_build_leaves_its_words_and_nothing_to_be_used(archive: Archive) -> None:
    archive.publish_emulator("12+a", {**SOURCE, "configure": "#!/bin/sh\necho 'ERROR: no such compiler'; exit 1\n"})
    with pytest.raises(InfrastructureError, match=r"ERROR: no such compiler.*all that was said: (.*)\)") as failed:
        emulator.build()
    assert Path(str(failed.value).rpartition(": ")[2].rstrip(")")).is_file()
    assert emulator.built() is None
    assert emulator.program(boards.load("pc")) == "qemu-system-x86_64"


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Debian, "obstacle", staticmethod(lambda: None))
    monkeypatch.setattr(emulator, "missing", lambda: ["libfdt-dev", "meson"])
    with pytest.raises(InfrastructureError, match="apt-get install libfdt-dev meson"):
        emulator.build()


def _programs() -> list[str]:
    return [f"qemu-system-{name}" for name in emulator.recipe().devices]


def _put(built_by: str = "", roms: str = "1") -> Path:
    """An emulator as it is after a build."""
    place = cache_root() / "emulator" / emulator.change()
    place.mkdir(parents=True, exist_ok=True)
    for name in _programs():
        machines = "printf '%s\\n' 'Supported machines are:' 'virt a' 'pc b' 'mps2-an385 c' 'mcf5208evb d'"
        (place / name).write_text(
            f"#!/bin/sh\n[ $1 = -machine ] && {machines} || echo QEMU emulator version 7.2\n#{built_by}\n"
        )
        (place / name).chmod(0o755)
    facts = emulator.Facts("7.2", f"gcc {built_by}", roms)
    (place / "facts.json").write_bytes(msgspec.json.encode(facts))
    return place


def test_every_board_of_its_machines_that_is_the_same_to_the_byte_runs_in_it_and_no_other() -> None:
    loaded = [board for board in map(boards.load, boards.names()) if not board.emulator.suite]
    assert all(emulator.program(board) == board.emulator.program for board in loaded), "it is not there yet"
    place = _put()
    ours = {board.id for board in loaded if emulator.program(board) == str(place / board.emulator.program)}
    assert ours == {board.id for board in loaded if board.deterministic} - {"zynq-a9", "vexpress-a9", "arm64-gicv3"}, (
        "these machines are not among its own"
    )
    assert {"arm64", "pc", "pc-pci", "mps2-an385", "mcf5208evb", "riscv32"} <= ours
    others = [board for board in loaded if board.id not in ours]
    assert others
    assert all(emulator.program(board) == board.emulator.program for board in others)


def test_its_source_and_its_rom_images_are_its_identity_and_not_its_compiler(tmp_path: Path) -> None:
    board = boards.load("pc")
    image = tmp_path / "image"
    image.write_bytes(b"image")

    def found() -> tuple[str, str, str]:
        made = identity(board, board.kernel[0], image, "", {})
        return made.platform, made.whole, made.facts.get("board.emulator.sha256", "")

    debian = found()
    assert debian[2] == "", "Debian's own is known by its version"
    _put()
    ours = found()
    _put("on another Debian")
    elsewhere = found()
    _put(roms="2")
    other = found()
    assert len(ours[2]) == 64
    assert elsewhere[:2] == ours[:2]
    assert elsewhere[2] != ours[2], "the record names the program all the same"
    assert all(len({one[part] for one in (debian, ours, other)}) == 3 for part in range(2))


def test_a_comment_in_the_recipe_is_no_other_emulator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = emulator._file().read_text()
    monkeypatch.setattr(emulator, "_file", lambda: tmp_path / "emulator.toml")

    def of(text: str) -> str:
        (tmp_path / "emulator.toml").write_text(text)
        emulator.recipe.cache_clear()
        return emulator.change()

    try:
        assert of(text) == of(f"# more words\n{text}") == of(text.replace("minutes = 25", "minutes = 9"))
        assert of(text) != of(text.replace("pvh.bin", "hvp.bin"))
    finally:
        emulator.recipe.cache_clear()


@pytest.mark.parametrize(("release", "fetched"), [("bookworm", True), ("trixie", False), ("", False)])
def test_an_emulator_is_fetched_on_the_debian_release_that_it_was_built_for(
    monkeypatch: pytest.MonkeyPatch, release: str, fetched: bool
) -> None:
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: {"VERSION_CODENAME": release} if release else {})
    board = boards.load("arm64-bound")
    assert board.emulator.suite == "bookworm-backports"
    assert (emulator.program(board) != board.emulator.program) == fetched
    assert emulator.is_there(board) == (not fetched)


@pytest.mark.parametrize(
    ("version", "interface"),
    [
        ("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)", 1),
        ("QEMU emulator version 10.0.11 (Debian 1:10.0.11+ds-0+deb13u1)", 4),
    ],
)
def test_a_plugin_is_compiled_for_its_emulator(monkeypatch: pytest.MonkeyPatch, version: str, interface: int) -> None:
    monkeypatch.setattr("rtstone.explain._trace.emulator_version", lambda _: version)
    assert plugin_interface(boards.load("arm64")) == interface
